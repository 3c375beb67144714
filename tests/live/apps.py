"""Real applications and what the path of their first request must hold; used by live_paths.py and, over garbage collectors,
layouts and virtual machines, by matrix_paths.py."""

from harness import application, free_port, java, trace
from stacks import Stacks

MILLISECOND = 1_000_000


def share(request, *causes):
    return sum(ns for cause, ns in request["causes"].items()
               if any(cause == name or cause.startswith(name + ".") for name in causes)) / request["latency_ns"]


def check_shares(run, request, most_unexplained, most_unnamed=None):
    """How much of the request no record proves, and how much only that it waited or called the kernel."""
    unexplained, unnamed = share(request, "unexplained"), share(request, "wait.other", "lock.park", "kernel.syscall")
    text = (f"{request['route']} {request['latency_ns'] / MILLISECOND:.1f} ms: unexplained {unexplained:.2%}, "
            f"wait.other, lock.park and kernel.syscall {unnamed:.2%}")
    print(f"    {text}")
    largest = sorted((tile for tile in request["path"] if tile["cause"] in ("unexplained", "wait.other", "lock.park")),
                     key=lambda tile: -tile["duration_ns"])[:3]
    shown = "; ".join(f"{tile['cause']} {tile['duration_ns'] / MILLISECOND:.3f} ms on {tile['thread']}: {tile['detail']}" for tile in largest)
    assert unexplained <= most_unexplained, f"{text}; {shown}"
    assert most_unnamed is None or unnamed < most_unnamed, f"{text}; {shown}"
    return text


def check_hand_over(run, request, method):
    """While a thread was seen with this Java method on its stack, the request was there: the path is on that thread. Some
    samples are taken at a moment when the thread's part is over, before it has left the method."""
    exec_ns = min(event["time_ns"] for event in run.events("exec") if event["pid"] == run.report["run"]["pid"])
    held_ns = sum(event["duration_ns"] for event in run.events("hold"))
    stacks = Stacks(run)
    inside, outside = 0, []
    for sample in run.events("sample"):
        at = sample["time_ns"] - exec_ns - held_ns - request["start_ns"]
        if not 0 <= at < request["latency_ns"]:
            continue
        _, frames = stacks.by_id.get(sample["stack_id"], (0, []))
        if not any((owner, name) == method for owner, name, _, _ in frames):
            continue
        tile = next(tile for tile in request["path"] if tile["start_ns"] - request["start_ns"] + tile["duration_ns"] > at)
        if tile["tid"] == sample["tid"]:
            inside += 1
        else:
            outside.append((sample["tid"], at / MILLISECOND, tile["thread"], tile["cause"]))
    assert inside >= 5, f"{inside} samples within {'.'.join(method)}"
    assert len(outside) <= inside // 50, f"{len(outside)} samples of {'.'.join(method)} are not on the path, {inside} are: {outside[:5]}"
    threads = list(dict.fromkeys(tile["thread"] for tile in request["path"]))
    print(f"    {inside} samples within {'.'.join(method)} on the path, {len(outside)} beside it; threads: {', '.join(threads)}")
    return threads


def petclinic(version, layout, collector, rounds=10):
    path = "petclinic-rest/petclinic-rest.jar" if layout == "fat" else "petclinic-rest/extracted/petclinic-rest.jar"
    port = free_port()
    run = trace([java(version), f"-XX:+Use{collector}", "-jar", application(path), f"--server.port={port}"], "-n", str(rounds),
                urls=[f"http://127.0.0.1:{port}/api/owners"], status=None, timeout=300)
    request = run.cold("GET /api/owners")
    assert request["status"] == 200, request["status"]
    return run, request


def quarkus(version):
    port = free_port()
    run = trace([java(version), f"-Dquarkus.http.port={port}", "-jar", application("quarkus-rest/quarkus-app/quarkus-run.jar")], "-n", "10",
                urls=[f"http://127.0.0.1:{port}/api/books"], status=None, timeout=300)
    request = run.cold("GET /api/books")
    assert request["status"] == 200, request["status"]
    return run, request


def micronaut(version):
    port = free_port()
    run = trace([java(version), f"-Dmicronaut.server.port={port}", "-jar", application("micronaut-rest/micronaut-rest.jar")], "-n", "10",
                urls=[f"http://127.0.0.1:{port}/api/items"], status=None, timeout=300)
    request = run.cold("GET /api/items")
    assert request["status"] == 200, request["status"]
    return run, request


def best_of(tries, attempt):
    """A busy machine may spoil one: the last failure counts."""
    for left in range(tries, 0, -1):
        try:
            return attempt()
        except AssertionError as error:
            if left == 1:
                raise
            print(f"    again: {str(error)[:400]}")
    return None
