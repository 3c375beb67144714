"""Known work, measured by the server that does it, against the causes on the critical path.

TruthServer (tests/workloads/truth) does one kind of work in the first request of each path and says when it began and
ended, on the clock of the recording, and what it took. The tiles within that stretch are held against it: 5 % or 2 ms,
whichever is larger. One run holds all kinds for one engine; what a busy machine spoils may be tried again."""



from harness import case, main
from truth import KINDS, HalfACpu, SilentResolver, ask_untraced, best_of, check_pieces, run_server

TRIES = 3


def engine(version, name, far):
    def attempt(left):
        untraced = ask_untraced(version, {"heap", "exceptions"} & set(left), far)
        return check_pieces(run_server(version, name, left, far), far, untraced)

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


def stalls(version):
    options = ["-Xmx64m", "-XX:+UseZGC", "-Xlog:gc:stdout"]
    best_of(TRIES, ["stall"], lambda left: check_pieces(run_server(version, "pool", left, False, options), False, {}))


@case
def allocation_stalls_17():
    stalls(17)


@case
def allocation_stalls_25():
    stalls(25)


@case
def quota():
    """150 ms of CPU under a quota of half a CPU."""
    group = HalfACpu()
    try:
        best_of(TRIES, ["quota"], lambda left: check_pieces(run_server(25, "pool", left, False, group=group), False, {}))
    finally:
        group.close()


@case
def dead_resolver():
    """A name whose only server never answers: the C library gives up after a second."""
    resolver = SilentResolver()
    best_of(TRIES, ["name"], lambda left: check_pieces(run_server(17, "thread", left, False, wrapper=resolver.words), False, {}))


main()
