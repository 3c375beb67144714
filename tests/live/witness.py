"""What other witnesses say of a run: strace's log of reads, Python's zipfile, and the JVM's own log of loaded classes."""

import bisect
import io
import re
import struct
import zipfile

READS = "read,pread64,readv,preadv,preadv2"


def calls_of(log):
    """(thread, line) of each call that a log of strace -f holds, its two halves joined where another thread came between."""
    unfinished = {}
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            tid = line.split(None, 1)[0]
            if line.rstrip().endswith("<unfinished ...>"):
                unfinished[tid] = line.rstrip().removesuffix("<unfinished ...>")
                continue
            match = re.match(r"\d+ +<\.\.\. (\w+) resumed>(.*)$", line)
            yield tid, unfinished.pop(tid, "") + match[2] if match else line


def parse_reads(log, suffix, by_thread=False):
    """{path: [successful reads, bytes]} of files whose name ends so, from a log of strace -f -y; or {tid: the same}."""
    found = {}
    for tid, line in calls_of(log):
        match = re.match(r"\d+ +(\w+)\(\d+<([^>]*)>.* = (\d+)\s*$", line)
        if match and match[2].endswith(suffix):
            row = found.setdefault(int(tid) if by_thread else match[2], [0, 0])
            row[0] += 1
            row[1] += int(match[3])
    return found


def parse_places(log, path):
    """[(offset, bytes)] of every read of one file, from a log of strace -f -y of reads, lseek, opens and close: where a read
    has no offset of its own, the descriptor's position is followed. Descriptors belong to the process, not to a thread."""
    places, positions = [], {}
    for _, line in calls_of(log):
        match = re.match(r"\d+ +open(?:at)?\(.* = (\d+)<([^>]*)>\s*$", line)
        if match:
            positions[match[1]] = 0
            continue
        match = re.match(r"\d+ +(\w+)\((\d+)<([^>]*)>(.*) = (\d+)\s*$", line)
        if not match or match[3] != path:
            continue
        call, descriptor, rest, result = match[1], match[2], match[4], int(match[5])
        if call == "lseek":
            positions[descriptor] = result
        elif call in ("pread64", "preadv", "preadv2"):
            numbers = re.findall(r", (\d+)", rest)
            places.append((int(numbers[-2] if call == "preadv2" else numbers[-1]), result))
        elif call in ("read", "readv"):
            places.append((positions[descriptor], result))
            positions[descriptor] += result
    return places


def zip_entries(file, offset=0, nested_in=()):
    """[(start, end, (nested jar names), entry name)] of an archive and of the jars stored in it, as Python's zipfile sees
    them: from an entry's header to the end of its data. `file` is bytes; a jar in a jar is told by its place in the outermost."""
    found = []
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        for info in archive.infolist():
            name_bytes, extra_bytes = struct.unpack("<HH", file[info.header_offset + 26:info.header_offset + 30])
            data = info.header_offset + 30 + name_bytes + extra_bytes
            inner = []
            if info.compress_type == zipfile.ZIP_STORED and info.filename.endswith(".jar"):
                inner = zip_entries(file[data:data + info.compress_size], offset + data, nested_in + (info.filename,))
            found.append((offset + info.header_offset, offset + (data if inner else data + info.compress_size), nested_in, info.filename))
            found += inner
    return found


def entries_read(entries, places):
    """{(nested jar names, entry): [reads that cover some of it, bytes of it in them]}"""
    entries = sorted(entries)
    starts = [entry[0] for entry in entries]
    found = {}
    for offset, length in places:
        at = max(bisect.bisect_right(starts, offset) - 1, 0)
        for start, end, nested_in, name in entries[at:]:
            if start >= offset + length:
                break
            covered = min(end, offset + length) - max(start, offset)
            if covered > 0:
                row = found.setdefault((nested_in, name), [0, 0])
                row[0] += 1
                row[1] += covered
    return found


def our_reads(run, suffix=".jar"):
    return {row["path"]: [row["reads"], row["bytes_read"]] for row in run.report["files"]
            if row["path"].endswith(suffix) and row["reads"]}


def log_of(path):
    """[(class, source)] from the log: 'pkg.Name source: where'."""
    loaded = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"(\S+) source: (.*)$", line.rstrip("\n"))
            if match:
                loaded.append((match[1], match[2]))
    return loaded


def kind_of(source):
    if source.startswith("shared objects file"):
        return "cds"
    if source.startswith("jrt:"):
        return "jrt"
    # jar: is the fat jar's own, as in jar:nested:/app.jar/!BOOT-INF/lib/x.jar!/
    if source.startswith("jar:") or source.startswith("file:") and source.rstrip("/").endswith(".jar"):
        return "jar"
    if source.startswith("file:"):
        return "directory"
    # Lambda forms and proxies: made by another class, or by the VM for it.
    return "generated"


def compare_classes(run, log):
    loaded = log_of(log)
    assert len(loaded) > 400, f"{len(loaded)} classes in the log"
    # Hidden classes have an address in their name in the log (Name/0x0000), which ours may not have.
    def plain(name):
        return re.sub(r"[/+]0x[0-9a-f]+$", "", name.replace("/0x", "+0x"))

    def count(names):
        counts = {}
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        return counts

    # The VM tells of a class each time that it has parsed it, and parses JFR's event classes twice in a row.
    told, last = [], {}
    for event in run.events("class_loaded"):
        which = event["tail"], event["loader"]
        if last.get(event["tid"]) != which:
            told.append(event["tail"].rstrip("\0"))
        last[event["tid"]] = which
    expected = count(plain(name) for name, _ in loaded)
    seen = count(plain(name.replace("/", ".").replace(".0x", "+0x")) for name in told)
    differing = {name: (seen.get(name, 0), expected.get(name, 0)) for name in seen.keys() | expected.keys()
                 if seen.get(name, 0) != expected.get(name, 0)}
    assert not differing, f"{len(differing)} classes differ (seen, log): {dict(sorted(differing.items())[:20])}"

    classes = run.report["classes"]
    assert classes["loaded"] == len(loaded), (classes["loaded"], len(loaded))
    sources = count(kind_of(source) for _, source in loaded)
    ours = {kind: number for kind, number in classes["from"].items() if number}
    return ours, sources
