"""Exceptions by class: native ones from throw to catch, Java's stack traces filled. Exact."""

from harness import case, java, java_workload, main, trace, workload


def by_class(run):
    counts = {}
    for row in run.report["exceptions"]:
        counts[row["class"]] = counts.get(row["class"], 0) + row["count"]
    return counts


@case
def native():
    run = trace([workload("known_throws")])
    truth = run.json_lines()[0]
    throws, catches = run.events("native_throw"), run.events("native_catch")
    assert len(throws) == truth["throws"] == 37, len(throws)
    # Each throw has its catch, of the same object: a catch is told the unwinder's header of 32 bytes in front of it.
    caught = {event["object"] + 32 for event in catches}
    assert {event["object"] for event in throws} <= caught
    assert len(catches) == truth["throws"] + truth["rethrows"] + truth["rethrown_pointers"], len(catches)
    counts = by_class(run)
    assert sum(counts.values()) == 37, counts
    # Deep is in an anonymous namespace.
    assert {name.replace("(anonymous namespace)::", ""): count for name, count in counts.items()} == truth["by_type"], counts


@case
def native_in_a_child():
    """The C++ runtime is mapped by a grandchild of the command."""
    run = trace([workload("process_tree.sh"), workload("known_throws")])
    assert len(run.events("native_throw")) == 37


def java_exceptions(version):
    run = trace([java(version), "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    truth = run.json_lines()[0]
    counts = by_class(run)
    stackless = truth["stackless"]
    assert stackless not in counts, "nothing fills the stack trace of a stackless exception"
    for name, thrown in truth["thrown"].items():
        if name == stackless:
            continue
        expected = thrown + truth["made_not_thrown"].get(name, 0)
        assert counts.get(name) == expected, f"{name}: {counts.get(name)}, the program says {expected}; all: {counts}"
    for row in run.report["exceptions"]:
        assert row["duration_ns"] > 0, row
    assert run.report["observed"].get("exceptions") == "yes", run.report["observed"]
    kinds = {event["kind"]: event for event in run.events("kind_total") if event["counted_kind"] == 31}
    assert kinds["kind_total"]["count"] == sum(counts.values()), (kinds, counts)


@case
def java_17():
    java_exceptions(17)


@case
def java_25():
    java_exceptions(25)


def thrown_at(version):
    """Where: the stack below the filled trace begins in the method that made the exception."""
    run = trace([java(version), "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    own = [row for row in run.report["exceptions"] if row["class"] == "KnownExceptions$OwnException"]
    deep = sum(row["count"] for row in own if (row.get("thrown_at") or "").startswith("KnownExceptions.throwDeep(KnownExceptions.java:"))
    made = sum(row["count"] for row in own if (row.get("thrown_at") or "").startswith("KnownExceptions.main(KnownExceptions.java:"))
    assert (deep, made) == (211, 1), [(row.get("thrown_at"), row["count"]) for row in own]


@case
def thrown_at_17():
    thrown_at(17)


@case
def thrown_at_25():
    thrown_at(25)


def without_trace(version, *options):
    """Thrown without a stack trace: by Java, each object once however many frames it passes and however often it is thrown
    on, and by the VM. None of them is among those that fill one, and none of those is here."""
    run = trace([java(version), *options, "-cp", java_workload("known-java.jar"), "KnownThrows"])
    truth = run.json_lines()[0]
    seen = {}
    for row in run.report["exceptions_without_stack_trace"]:
        seen.setdefault(row["by_vm"], {}).setdefault(row["class"], 0)
        seen[row["by_vm"]][row["class"]] += row["count"]
    own = {name: count for name, count in seen[False].items() if name.startswith("KnownThrows$")}
    assert own == truth["by_java"], (own, truth)
    assert {name: seen[True].get(name) for name in truth["by_vm"]} == truth["by_vm"], (seen[True], truth)
    filled = by_class(run)
    assert filled["java.lang.IllegalStateException"] == truth["filled"], filled
    assert not set(filled) & ({*truth["by_java"]} | {*truth["by_vm"]}), filled
    assert run.report["observed"]["exceptions_without_trace"] == "partly", run.report["observed"]
    deep = {row["seen_at"]: row["count"] for row in run.report["exceptions_without_stack_trace"] if row["class"] == "KnownThrows$Kept"}
    assert sorted((place.partition("(")[0], count) for place, count in deep.items()) == \
        [("KnownThrows.kept", 11), ("KnownThrows.main", 13)], deep


@case
def without_trace_17():
    without_trace(17)


@case
def without_trace_25():
    without_trace(25, "-XX:+UseCompactObjectHeaders")


@case
def without_trace_zgc():
    """References have marks in their low bits, null too."""
    without_trace(25, "-XX:+UseZGC")


main()
