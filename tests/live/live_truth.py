"""Known work, measured by the server that does it, against the causes on the critical path.

TruthServer (tests/workloads/truth) does one kind of work in the first request of each path and says when it began and
ended, on the clock of the recording, and what it took. The tiles within that stretch are held against it: 5 % or 2 ms,
whichever is larger. One run holds all kinds for one engine; what a busy machine spoils may be tried again."""


from harness import case, main
from truth import (KINDS, HalfACpu, SilentResolver, ask_untraced, best_of, check_apart, check_compilations, check_counters, check_pieces,
                   run_server)

TRIES = 3


def engine(version, name, far):
    def attempt(left):
        untraced = ask_untraced(version, {"heap", "exceptions"} & set(left), far)
        return check_pieces(run_server(version, name, left, far), untraced)

    best_of(TRIES, KINDS, attempt)


@case
def thread_direct_17():
    engine(17, "thread", False)


@case
def pool_direct_25():
    engine(25, "pool", False)


@case
def loop_direct_17():
    engine(17, "loop", False)


@case
def virtual_direct_25():
    engine(25, "virtual", False)


@case
def thread_far_25():
    engine(25, "thread", True)


@case
def pool_far_17():
    engine(17, "pool", True)


@case
def loop_far_25():
    engine(25, "loop", True)


@case
def virtual_far_25():
    engine(25, "virtual", True)


MIXED = ["burn", "monitor-burn", "sleep", "exceptions", "peer", "classes", "file", "lock-sleep", "outside-peer",
         "initializer-burn", "collect", "future", "child"]


def mixed(version, name, far):
    """One request that does one kind after another: each is found in its own stretch, and all of them together. The heap is not
    among them, nor exceptions on virtual threads: they are held against another run, and what the kinds before them leave in
    memory and caches differs from run to run."""
    chosen = [kind for kind in MIXED if name != "virtual" or kind != "exceptions"]

    def attempt(left):
        kinds = [kind for kind in left if kind != "mixed"] or chosen
        untraced = ask_untraced(version, ["mixed"], far, name, kinds)
        return check_pieces(run_server(version, name, ["mixed"], far, mixed=kinds), untraced)

    best_of(TRIES, ["mixed", *chosen], attempt)


@case
def mixed_thread_and_loop_17():
    mixed(17, "thread", False)
    mixed(17, "loop", True)


@case
def mixed_pool_and_virtual_25():
    mixed(25, "pool", True)
    mixed(25, "virtual", False)


def at_once(version, name):
    """Requests served at the same time: each has its own path, and none takes another's time. (What a carrier did for one
    virtual thread another does wait for, when there is no carrier left; so does a loop with two answers to write.)"""
    kinds = ["burn", "sleep"] if name in ("loop", "virtual") else ["burn", "sleep", "lock-sleep"]
    options = ["-Djdk.virtualThreadScheduler.parallelism=6"] if name == "virtual" else []

    def attempt(_):
        run = run_server(version, name, kinds, False, options, at_once=True)
        right, wrong = check_pieces(run, {})
        try:
            check_apart(run)
            right["apart"] = "no time on two paths"
        except AssertionError as error:
            wrong["apart"] = str(error)
        return right, wrong

    best_of(TRIES, [*kinds, "apart"], attempt)


@case
def at_once_thread_and_loop_25():
    at_once(25, "thread")
    at_once(25, "loop")


@case
def at_once_pool_and_virtual_25():
    at_once(25, "pool")
    at_once(25, "virtual")


def stalls(version):
    options = ["-Xmx64m", "-XX:+UseZGC", "-Xlog:gc:stdout"]
    best_of(TRIES, ["stall"], lambda left: check_pieces(run_server(version, "pool", left, False, options), {}))


@case
def allocation_stalls_17():
    stalls(17)


@case
def allocation_stalls_25():
    stalls(25)


@case
def blocking_compilations_25():
    """-Xbatch: who asks for a compilation waits for it."""
    check_compilations(run_server(25, "thread", ["burn", "exceptions"], False, ["-Xbatch"]))


@case
def quota():
    """150 ms of CPU under a quota of half a CPU: what the scheduler shows, and what the cgroup's own counters say of it."""
    group = HalfACpu()

    def attempt(left):
        run = run_server(25, "pool", [kind for kind in left if kind == "quota"] or ["quota"], False, group=group)
        right, wrong = check_pieces(run, {})
        try:
            right["counters"] = check_counters(run, group)
        except AssertionError as error:
            wrong["counters"] = str(error)
        return right, wrong

    try:
        best_of(TRIES, ["quota", "counters"], attempt)
    finally:
        group.close()


@case
def dead_resolver():
    """A name whose only server never answers: the C library gives up after a second."""
    resolver = SilentResolver()
    best_of(TRIES, ["name"], lambda left: check_pieces(run_server(17, "thread", left, False, wrapper=resolver.words), {}))


main()
