"""Page faults: how many, where, and minor or major, against programs that cause a known number and against getrusage."""

import os

from harness import SOURCE, case, folder, main, near, program, skip, trace, workload


def inside(faults, start, pages, page_size):
    start = int(start, 16)
    return [fault for fault in faults if start <= fault["address"] < start + pages * page_size]


@case
def known_faults():
    run = trace([workload("known_faults")])
    truth = run.json_lines()[0]
    faults = run.events("fault")
    anonymous = inside(faults, truth["anonymous_start"], truth["anonymous_pages"], truth["page_size"])
    file = inside(faults, truth["file_start"], truth["file_pages"], truth["page_size"])
    assert truth["anonymous_measured"] == len(anonymous) == 1009, (truth, len(anonymous))
    assert truth["file_measured"] == len(file) == 101, (truth, len(file))
    # Each page once, as a minor fault with a duration.
    assert len({fault["address"] // truth["page_size"] for fault in anonymous}) == 1009
    assert not any(fault["is_major"] for fault in anonymous + file)
    assert all(0 < fault["duration_ns"] < 100_000_000 for fault in anonymous + file)
    kinds = {row["kind"]: row for row in run.report["faults"]["by_mapping"]}
    assert kinds["malloc"]["minor"] >= 1009, kinds
    assert kinds["file"]["minor"] >= 101, kinds


@case
def whole_process():
    """All faults of a process from its exec to its end, against the kernel's own count. The kernel also counts pages that
    it touches itself while it sets up the new program, before which our counting begins, and those of exit."""
    script = ("import os, resource, sys\npid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])\n"
              "_, _, usage = os.wait4(pid, 0)\nprint('{\"pid\": %d, \"minor\": %d, \"major\": %d}' % (pid, usage.ru_minflt, usage.ru_majflt))\n")
    run = trace([program("python3"), "-c", script, workload("known_faults")])
    truth = run.json_lines()[-1]
    seen = [fault for fault in run.events("fault") if fault["pid"] == truth["pid"]]
    near(sum(not fault["is_major"] for fault in seen), truth["minor"], 0.02, "minor faults")
    assert abs(sum(fault["is_major"] for fault in seen) - truth["major"]) <= 2, truth


@case
def major_faults():
    # Only a file system on a disk has pages that can be dropped.
    place = os.path.join(SOURCE, "build")
    run = trace([workload("known_faults"), "--major", place])
    truth = run.json_lines()[0]
    if truth["major_measured"] == 0:
        skip(f"nothing in {place} leaves the page cache (measured 0 major faults)")
    near(run.report["faults"]["major"], truth["major_measured"], 0.05, "major faults")
    kinds = {row["kind"]: row for row in run.report["faults"]["by_mapping"]}
    assert kinds["file"]["major"] >= 0.95 * truth["major_measured"], kinds


main()
