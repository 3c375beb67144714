"""The first request of real applications: whole, over the threads that it really went over, and with little that is not
explained. All collectors, layouts and virtual machines: matrix_paths.py."""

from apps import best_of, check_hand_over, check_shares, micronaut, petclinic, quarkus
from harness import case, main


@case
def quarkus_hands_over_to_a_worker():
    def attempt():
        run, request = quarkus(25)
        threads = check_hand_over(run, request, ("warmtrace.quarkus.BookResource", "list"))
        assert any(name.startswith("executor-thread") for name in threads) and \
            any(name.startswith("vert.x-eventloop") for name in threads), threads
        check_shares(run, request, 0.02)
    best_of(2, attempt)


@case
def micronaut_hands_over_to_a_worker():
    def attempt():
        run, request = micronaut(25)
        threads = list(dict.fromkeys(tile["thread"] for tile in request["path"]))
        print(f"    threads: {', '.join(threads)}")
        assert any("eventLoopGroup" in name for name in threads), threads
        assert any("virtual" in name or "executor" in name or "ForkJoinPool" in name for name in threads), threads
        check_shares(run, request, 0.02)
    best_of(2, attempt)


@case
def petclinic_fat_g1_25():
    best_of(2, lambda: check_shares(*petclinic(25, "fat", "G1GC"), 0.01, 0.05))


@case
def petclinic_extracted_zgc_17():
    best_of(2, lambda: check_shares(*petclinic(17, "extracted", "ZGC"), 0.01, 0.05))


main()
