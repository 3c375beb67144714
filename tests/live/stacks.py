"""Comparisons of the Java stacks that a recording holds with what Java itself says of them; used by live_stacks.py and, over
many virtual machines, by matrix_stacks.py."""

import collections
import re

from harness import java, java_workload, trace

STACK_TRUNCATED, STACK_BROKEN, STACK_VIRTUAL, STACK_FROZEN = 1, 2, 4, 8
STACK_OF_EARLIER = 1
INTERPRETED, C1, C2, NATIVE_METHOD = 1, 2, 3, 4
# The traces then name every frame, lambda forms and the like too, as the walk sees them.
ALL_FRAMES = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames"]
# A method that is due runs on only when it is compiled: so compiled frames occur, however busy the machine is.
COMPILED_IN_TIME = "-Xbatch"


def plain_class(name):
    """The name without the address that a hidden class has behind it."""
    return re.sub(r"[/+](0x)?[0-9a-f.+]*$", "", name)


class Stacks:
    """The stacks of a recording, each a list of (class, method, line, frame type), innermost first."""

    def __init__(self, run):
        frames_of = collections.defaultdict(list)
        for event in run.events("frame_name"):
            fields = event["tail"].split("\0")
            frames_of[(event["type"], event["code"], event["at"])].append(
                (plain_class(fields[0].replace("/", ".")), fields[1], int(fields[3]), event["type"]))
        self.by_id = {}
        self.types = collections.Counter()
        for event in run.events("stack"):
            frames = []
            raw = event["tail"].encode("latin-1")
            for i in range(event["frame_count"]):
                method, at, kind, _ = (int.from_bytes(raw[i * 24 + start:i * 24 + end], "little")
                                       for start, end in ((0, 8), (8, 16), (16, 20), (20, 24)))
                self.types[kind] += 1
                frames += frames_of.get((kind, method, at)) or [("?", hex(at), 0, kind)]
            self.by_id[event["stack_id"]] = (event["flags"], frames)


def printed_traces(out):
    """What KnownStacks printed: class of the exception → (class, method, line), innermost first."""
    traces, lines = {}, iter(out.splitlines())
    for line in lines:
        if line.startswith("TRACE "):
            _, name, count = line.split()
            frames = [next(lines).split() for _ in range(int(count))]
            # -2 is a native method's line, -1 an unknown one; JDK 8 says 1000000 + index for a frame it would hide.
            traces[name] = [(plain_class(owner), method, 0 if int(at) < 0 or int(at) >= 1000000 else int(at))
                            for owner, method, at in frames]
    return traces


def as_java_prints(frames):
    """Without what getStackTrace leaves out: the constructors on top, and a virtual thread's carrier."""
    start = 0
    while start < len(frames) and frames[start][1] in ("fillInStackTrace", "<init>"):
        start += 1
    shown = []
    for owner, method, line, _ in frames[start:]:
        if (owner, method) == ("jdk.internal.vm.Continuation", "enterSpecial"):
            break
        shown.append((owner, method, line))
    return shown


def compare_exceptions(version, *options, virtual=False, count=1000, class_path=None, kinds=(INTERPRETED, C1, C2, NATIVE_METHOD)):
    """Throws so many exceptions, each of a class of its own; at least 99 of 100 stacks must be Throwable.getStackTrace's."""
    command = [java(version), *ALL_FRAMES, COMPILED_IN_TIME, *options, "-cp", class_path or java_workload("known-java.jar"), "KnownStacks",
               str(count), "20"]
    run = trace(command + (["virtual"] if virtual else []), timeout=600)
    traces = printed_traces(run.out)
    assert len(traces) == count, f"{len(traces)} traces printed"
    stacks = Stacks(run)
    seen, different, virtual_stacks, frozen = 0, [], 0, 0
    for event in run.events("exception"):
        name = event["tail"].rstrip("\0")
        if name not in traces:
            continue
        seen += 1
        assert not event["flags"] & STACK_OF_EARLIER, f"{name} is the first of its class"
        flags, frames = stacks.by_id.get(event["stack_id"], (0, []))
        virtual_stacks += bool(flags & STACK_VIRTUAL)
        frozen += bool(flags & STACK_FROZEN)
        if as_java_prints(frames) != traces[name] or flags & (STACK_TRUNCATED | STACK_BROKEN):
            different.append((name, flags, as_java_prints(frames), traces[name]))
    assert seen == count, f"{seen} of {count} exceptions recorded"
    shown = "\n".join(f"{name} (flags {flags}): {first_difference(ours, theirs)}" for name, flags, ours, theirs in different[:5])
    assert len(different) <= count // 100, f"{len(different)} of {count} stacks differ:\n{shown}"
    for kind in kinds:
        assert stacks.types[kind] > count // 10, f"frames by type: {dict(stacks.types)}"
    if virtual:
        assert virtual_stacks == count // 40, f"{virtual_stacks} stacks of virtual threads"
    print(f"    {version} {' '.join(options)}: {count - len(different)} of {count} whole; {virtual_stacks} in virtual threads, "
          f"{frozen} with frozen frames; frames by type {dict(sorted(stacks.types.items()))}{chr(10) + shown if shown else ''}")


def first_difference(ours, theirs):
    for i, (mine, its) in enumerate(zip(ours, theirs)):
        if mine != its:
            return f"frame {i}: {mine}, Java says {its}"
    return f"{len(ours)} frames, Java says {len(theirs)}"


CALLER = {"f": "e", "e": "d", "d": "c", "c": "b", "b": "a", "a": "run", "run": "main", "main": None}


def chain_is_right(frames):
    names = [(owner, method) for owner, method, _, _ in frames]
    while names and names[0][0] != "KnownChain":
        names.pop(0)
    for i, (owner, method) in enumerate(names):
        caller = names[i + 1][1] if i + 1 < len(names) else None
        if owner != "KnownChain" or CALLER.get(method, "?") != caller:
            return False
    return bool(names)


def compare_samples(version, *options, class_path=None):
    """Samples a program whose every possible stack is known; none may be wrong, and at most 2 of 100 cut."""
    command = [java(version), *options, "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,KnownChain::*",
               "-cp", class_path or java_workload("known-java.jar"), "KnownChain", "6000"]
    run = trace(command)
    stacks = Stacks(run)
    right, wrong, cut = 0, [], 0
    for event in run.events("sample"):
        flags, frames = stacks.by_id.get(event["stack_id"], (0, []))
        if not any(owner == "KnownChain" for owner, _, _, _ in frames):
            # Java code without its callers: the walk was lost.
            cut += bool(flags & STACK_BROKEN)
        elif chain_is_right(frames):
            right += 1
        elif flags & STACK_BROKEN:
            cut += 1
        else:
            wrong.append(frames)
    assert right >= 50, f"{right} samples in the chain"
    assert not wrong, f"{len(wrong)} wrong stacks among {right + len(wrong)}: {wrong[0]}"
    assert cut <= right // 50, f"{cut} stacks were cut, {right} whole"
    print(f"    {version} {' '.join(options)}: {right} right, 0 wrong, {cut} cut")
