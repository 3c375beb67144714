"""Perfetto's own message definitions read our trace, with nothing that they do not know; its trace processor too, where
there is one (its program is not in the Python package, which fetches it from elsewhere).

    perfetto.py WARMTRACE WRITE_RECORDING TOOLS
"""
import os
import shutil
import sys

from common import Checks, Program, skip

sys.path.insert(0, os.path.join(sys.argv[3], "python"))
try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2
except ImportError as error:
    skip("perfetto's message definitions are not installed (%s): run tests/export/get-tools" % error)

check = Checks()
program = Program(sys.argv[1], sys.argv[2])


def unknown(message, where):
    """Fields that the definitions do not have would be kept as bytes: writing the message anew without them is shorter."""
    size = message.ByteSize()
    message.DiscardUnknownFields()
    check.equal(where + " has no unknown field", message.ByteSize(), size)


def check_trace(label, path, report):
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(program.export(path, "perfetto", "--phase", "all"))
    unknown(trace, label)
    tracks, events, switches, wakings = {}, [], [], []
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        elif packet.HasField("track_event"):
            events.append(packet)
        elif packet.HasField("ftrace_events"):
            for event in packet.ftrace_events.event:
                (switches if event.HasField("sched_switch") else wakings).append(event)
    check.that(label + ": every event is on a known track", all(packet.track_event.track_uuid in tracks for packet in events))
    check.that(label + ": every track's parent is known", all(not track.parent_uuid or track.parent_uuid in tracks for track in tracks.values()))
    threads = {track.thread.tid for track in tracks.values() if track.HasField("thread")}
    check.equal(label + ": threads", threads, {thread["tid"] for thread in report["threads"]})
    check.that(label + ": switches are between two threads", switches and all(s.sched_switch.prev_pid != s.sched_switch.next_pid for s in switches))
    check.that(label + ": wakings wake threads of the tree", wakings and all(w.sched_waking.pid in threads for w in wakings))
    names = [packet.track_event.name for packet in events]
    check.that(label + ": the phases are there", {phase["name"] for phase in report["phases"]} <= set(names))
    return trace


def check_processor(path):
    processor = os.environ.get("WARMTRACE_TRACE_PROCESSOR") or shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if not processor:
        print("no trace processor here: checked by the message definitions")
        return
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
    out = os.path.join(program.folder, "trace.pb")
    with open(out, "wb") as trace:
        trace.write(program.export(path, "perfetto", "--phase", "all"))
    with TraceProcessor(trace=out, config=TraceProcessorConfig(bin_path=processor)) as reader:
        rows = {row.name: row.value for row in reader.query("select name, value from stats where severity = 'error' and value > 0")}
        check.equal("trace processor: no errors", rows, {})
        check.that("trace processor: thread states", next(iter(reader.query("select count(*) as n from thread_state"))).n > 0)
        check.that("trace processor: slices", next(iter(reader.query("select count(*) as n from slice"))).n > 0)


for made in (("plain", "1"), ("hostile",)):
    recording = program.recording(*made)
    check_trace(made[0], recording, program.report(recording))
check_processor(program.recording("plain", "1"))
check.finish()
