"""What the export tests share: recordings from text, the program, checks that count, a reader of protocol buffers."""
import atexit
import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


class Checks:
    def __init__(self):
        self.count = self.failed = 0

    def equal(self, what, found, wanted):
        self.that("%s: found %r, wanted %r" % (what, found, wanted), found == wanted)

    def that(self, what, is_so):
        self.count += 1
        if not is_so:
            self.failed += 1
            print("FAILED " + what[:500])

    def finish(self):
        print("%d checks, %d failed" % (self.count, self.failed))
        sys.exit(1 if self.failed or not self.count else 0)


class Program:
    def __init__(self, warmtrace, write_recording):
        self.warmtrace, self.write_recording = warmtrace, write_recording
        self.folder = tempfile.mkdtemp(prefix="warmtrace-export-")
        atexit.register(shutil.rmtree, self.folder, True)

    def recording(self, *made):
        """A recording from make_trace.py, or from a file of text."""
        name = "-".join(made).replace("/", "_")
        path, text = os.path.join(self.folder, name + ".wtr"), os.path.join(self.folder, name + ".trace")
        if len(made) == 1 and os.path.exists(made[0]):
            text = made[0]
        else:
            with open(text, "wb") as out:
                subprocess.run([sys.executable, os.path.join(HERE, "make_trace.py"), *made], stdout=out, check=True)
        subprocess.run([self.write_recording, text, path], check=True)
        return path

    def run(self, *arguments):
        return subprocess.run([self.warmtrace, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)

    def output(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            print("FAILED %s: status %d, %s" % (" ".join(arguments), done.returncode, done.stderr.decode(errors="replace")[:400]))
            sys.exit(1)
        return done.stdout

    def export(self, path, form, *more):
        return self.output("export", "--format", form, *more, path)

    def report(self, path):
        return json.loads(self.output("report", "-f", "json", path))


def expected(report, by, phase):
    """The report's own figure for what an export adds up to; None where it has none."""
    if by == "critical-path":
        return sum(r["latency_ns"] for r in report["requests"] if phase == "all" or r["cold"] == (phase == "first_request"))
    phases = [p for p in report["phases"] if phase in ("all", p["name"])]
    keys = {"exceptions": ["exceptions"], "faults": ["minor_faults", "major_faults"], "classes": ["classes_loaded"], "files": ["opens", "lookups", "reads"]}
    if by == "on-cpu":
        return sum(p["cpu_ns"] for p in phases) if all("cpu_ns" in p for p in phases) else None
    if by not in keys:
        return None
    return sum(p["counts"].get(key, 0) for p in phases for key in keys[by])


# ---- readers of our formats that know nothing of how they were written ----

def read_folded(text, values=1):
    rows = []
    for line in text.decode("utf-8").split("\n")[:-1]:
        fields = line.rsplit(" ", values)
        rows.append((fields[0].split(";"), [int(value) for value in fields[1:]]))
    return rows


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text.decode("utf-8"), newline="")))


def read_ndjson(text):
    return [json.loads(line) for line in text.decode("utf-8").split("\n") if line]


def fields(message):
    """(number, value) of a protocol buffers message: ints, and bytes for everything with a length."""
    at, out = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            out.append((key >> 3, varint()))
        elif kind == 1:
            out.append((key >> 3, int.from_bytes(message[at:at + 8], "little")))
            at += 8
        elif kind == 2:
            length = varint()
            if at + length > len(message):
                raise ValueError("a field is longer than its message")
            out.append((key >> 3, message[at:at + length]))
            at += length
        else:
            raise ValueError("wire type %d" % kind)
    return out


def unpack(packed):
    return [value for _, value in fields(b"".join(b"\x08" + piece for piece in split_varints(packed)))]


def split_varints(packed):
    start = 0
    for at, byte in enumerate(packed):
        if byte < 128:
            yield packed[start:at + 1]
            start = at + 1


def read_pprof(text):
    """(sample types, [(stack innermost first, values, labels)])"""
    whole = fields(gzip.decompress(text))
    strings = [value.decode("utf-8") for number, value in whole if number == 6]
    functions = {dict(fields(value))[1]: strings[dict(fields(value))[2]] for number, value in whole if number == 5}
    locations = {}
    for number, value in whole:
        if number == 4:
            location = dict(fields(value))
            locations[location[1]] = functions[dict(fields(location[4]))[1]]
    types = [tuple(strings[value] for _, value in fields(value)) for number, value in whole if number == 1]
    samples = []
    for number, value in whole:
        if number != 2:
            continue
        sample = fields(value)
        labels = {strings[dict(fields(label))[1]]: strings[dict(fields(label))[2]] for key, label in sample if key == 3}
        parts = dict((key, part) for key, part in sample if key != 3)
        samples.append(([locations[i] for i in unpack(parts[1])], unpack(parts[2]), labels))
    return types, samples
