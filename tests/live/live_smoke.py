"""A little of everything, for kernels that are emulated and slow: scripts/kernel-matrix runs it. The other files have
the same at length."""

from harness import case, free_port, java, java_workload, main, near, trace, warmtrace, wait_until_clean, workload


@case
def native_server():
    port = free_port()
    run = trace([workload("http_server"), str(port), "--open", "5", "--absent", "7", "--touch", "101"], "-n", "5",
                urls=[f"http://127.0.0.1:{port}/x"])
    cold = run.cold("GET /x")
    assert cold["status"] == 200 and not cold["start_estimated"], cold
    assert (cold["counts"]["opens"], cold["counts"]["failed_opens"]) == (12, 7), cold["counts"]
    assert 101 <= cold["counts"]["minor_faults"] <= 120, cold["counts"]
    assert len(run.requests("GET /x")) == 6, len(run.requests())
    for probe in ("scheduling", "page_faults", "system_calls", "sockets", "arrival", "interrupts", "samples"):
        assert run.report["observed"].get(probe) == "yes", run.report["observed"]


@case
def page_faults():
    run = trace([workload("known_faults")])
    truth = run.json_lines()[0]
    start = int(truth["anonymous_start"], 16)
    inside = [fault for fault in run.events("fault") if start <= fault["address"] < start + truth["anonymous_pages"] * 4096]
    assert len(inside) == 1009, f"{len(inside)} faults in the anonymous mapping"
    assert all(fault["duration_ns"] > 0 for fault in inside), "a fault without a duration"


@case
def native_exceptions():
    run = trace([workload("known_throws")])
    assert len(run.events("native_throw")) == 37, len(run.events("native_throw"))


def java_exceptions(version):
    run = trace([java(version), "-cp", java_workload("known-java.jar"), "KnownExceptions"], timeout=300)
    truth = run.json_lines()[0]
    for name, count in truth["thrown"].items():
        if name == truth["stackless"]:
            continue
        expected = count + truth["made_not_thrown"].get(name, 0)
        seen = sum(event["count"] for event in run.events("exception") if event["tail"].rstrip("\0").replace("/", ".") == name)
        # The JDK looks for absent classes of its own.
        assert seen == expected or name == "java.lang.ClassNotFoundException" and seen >= expected, (name, seen, expected)
    loaded = len(run.events("class_loaded"))
    assert loaded > 300, f"{loaded} classes"
    assert run.milestone("vm_created"), run.report["milestones"]


@case
def java_17():
    java_exceptions(17)


@case
def java_25():
    java_exceptions(25)


@case
def nothing_stays_behind():
    assert warmtrace("-o", "/dev/null", "--", "/bin/false").returncode in (1, 125)
    wait_until_clean(60)


main()
