"""A flood of events into the smallest buffer: what is lost is counted by kind, and nothing is mended wrongly."""

from harness import case, java, java_workload, main, program, trace

# 300,000 opens as fast as they go, of one file that exists and one that does not, by turns.
FLOOD = """
import os
for i in range(150000):
    os.close(os.open('/etc/hostname', os.O_RDONLY))
    try:
        os.open('/etc/absent-in-a-flood', os.O_RDONLY)
    except OSError:
        pass
"""


@case
def flood_is_counted():
    run = trace([program("python3"), "-S", "-E", "-c", FLOOD], "--buffer", "256K", losses_allowed=True)
    losses = run.report["losses"]
    totals = {event["counted_kind"]: event["count"] for event in run.events("kind_total")}
    opens = run.events("file_open")
    lost = losses["by_kind"].get("file_open", 0)
    assert totals[6] == len(opens) + lost, f"the kernel counted {totals[6]} opens, {len(opens)} came and {lost} were lost"
    assert totals[6] >= 300_000, totals[6]
    # What came is right: a failure is never shown as a success, nor the other way round.
    there = [event for event in opens if event["tail"].startswith("/etc/hostname\0")]
    absent = [event for event in opens if event["tail"].startswith("/etc/absent-in-a-flood\0")]
    assert all(event["result"] >= 0 for event in there) and all(event["result"] == -2 for event in absent)
    assert len(there) > 1000 and len(absent) > 1000
    if losses["events"] == 0:
        return
    assert sum(span["events"] for span in losses["by_span"]) == losses["events"], losses
    assert all(span["start_ns"] <= span["end_ns"] for span in losses["by_span"])
    found = [finding for finding in run.report["findings"] if finding["id"] == "lost-events"]
    assert found, [finding["id"] for finding in run.report["findings"]]


@case
def storm_loses_no_exception():
    """Exceptions that find no room in the smallest buffer are counted in the kernel: by class, none is missing."""
    run = trace([java(17), "-cp", java_workload("known-java.jar"), "KnownStorm", "4000"], "--buffer", "256K", losses_allowed=True)
    truth, counts = run.json_lines()[0], {}
    for row in run.report["exceptions"]:
        counts[row["class"]] = counts.get(row["class"], 0) + row["count"]
    for name in ("KnownStorm$DeepException", "KnownStorm$ParkedException"):
        assert counts[name] == truth[name] > 1000, (name, counts, truth)
    totals = {event["counted_kind"]: event["count"] for event in run.events("kind_total")}
    assert totals[31] == sum(counts.values()) == run.count("exceptions"), (totals[31], counts)
    assert "exception" not in run.report["losses"]["by_kind"], run.report["losses"]


@case
def default_buffer_holds():
    run = trace([program("python3"), "-S", "-E", "-c", FLOOD])
    assert run.report["losses"]["events"] == 0
    assert run.count("opens") >= 300_000, run.count("opens")
    row = next(row for row in run.report["files"] if row["path"] == "/etc/absent-in-a-flood")
    assert (row["opens"], row["failed_opens"]) == (150_000, 150_000), row
    row = next(row for row in run.report["files"] if row["path"] == "/etc/hostname")
    assert (row["opens"], row["failed_opens"]) == (150_000, 0), row


main()
