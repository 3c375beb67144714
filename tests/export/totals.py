"""Every format on made-up recordings: read by readers of its own, its totals are the report's, its names are safe.

    totals.py WARMTRACE WRITE_RECORDING TRACE...     TRACE: text recordings with requests
"""
import json
import re
import sys
import xml.etree.ElementTree as xml

from common import Checks, Program, expected, fields, read_csv, read_folded, read_ndjson, read_pprof

VIEWS = ["critical-path", "on-cpu", "off-cpu", "exceptions", "faults", "classes", "files"]
check = Checks()
program = Program(sys.argv[1], sys.argv[2])
UNSAFE = re.compile("[\u0000-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


def sum_speedscope(text):
    profile = json.loads(text)
    evented = [p for p in profile["profiles"] if p["type"] == "evented"]
    sampled = [p for p in profile["profiles"] if p["type"] == "sampled"]
    names = profile["shared"]["frames"]
    for each in evented:
        open_frames = []
        for event in each["events"]:
            check.that("speedscope events are in order and of known frames", event["frame"] < len(names))
            if event["type"] == "O":
                open_frames.append(event["frame"])
            else:
                check.equal("speedscope closes what is open", open_frames.pop(), event["frame"])
        check.equal("speedscope leaves nothing open", open_frames, [])
    return sum(p["endValue"] - p["startValue"] for p in evented), sum(sum(p["weights"]) for p in sampled)


def check_views(path, report, label, phases):
    for phase in phases:
        for by in VIEWS:
            if by == "critical-path" and phase not in ("first_request", "warm", "all"):
                continue
            wanted, what = expected(report, by, phase), "%s, %s, %s" % (label, by, phase)
            options = ["--by", by, "--phase", phase]
            text = program.export(path, "folded", *options)
            check.that(what + ": folded has no unsafe character", not UNSAFE.search(text.decode("utf-8")))
            total = sum(values[0] for _, values in read_folded(text))
            if wanted is not None:
                check.equal(what + ": folded", total, wanted)
            rows = read_csv(program.export(path, "csv", *options))
            key = "duration_ns" if by == "critical-path" else "value"
            check.equal(what + ": csv", sum(int(row[key]) for row in rows), total)
            check.that(what + ": csv has as many fields everywhere", all(None not in row and None not in row.values() for row in rows))
            check.equal(what + ": ndjson", sum(row[key] for row in read_ndjson(program.export(path, "ndjson", *options))), total)
            evented, sampled = sum_speedscope(program.export(path, "speedscope", *options))
            check.equal(what + ": speedscope, sampled", sampled, total)
            if by == "critical-path":
                check.equal(what + ": speedscope, evented", evented, total)
            types, samples = read_pprof(program.export(path, "pprof", *options))
            check.equal(what + ": pprof", sum(values[0] for _, values, _ in samples), total)
            check.that(what + ": pprof has a value of each type", all(len(values) == len(types) for _, values, _ in samples))
            labels = {labels["phase"] for _, _, labels in samples}
            if phase == "first_request" and samples:
                check.equal(what + ": pprof label", labels, {"cold"})
            if phase == "all" and by == "critical-path" and samples:
                check.equal(what + ": pprof labels", labels, {"cold", "warm"})
            check_svg(program.export(path, "svg", *options), what)
            check_page(program.export(path, "flamegraph", *options), what)


def check_svg(text, what):
    root = xml.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    tags = {element.tag for element in root.iter()}
    check.equal(what + ": svg has no element but its own", tags - {space + tag for tag in
                ("svg", "title", "defs", "pattern", "rect", "style", "text", "g", "script")}, set())
    check.equal(what + ": svg has one script", len(root.findall(".//" + space + "script")), 1)
    check.that(what + ": svg has no unsafe character", not UNSAFE.search(text.decode("utf-8").split("<script>")[0]))


def check_page(text, what):
    page = text.decode("utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
    check.that(what + ": the page's data has no markup", "<" not in data)
    check.equal(what + ": the page has two scripts", len(re.findall("<script", page)), 2)
    check.that(what + ": the page forbids everything else", "default-src 'none'" in page and "unsafe-inline" not in page)
    check.that(what + ": the page names no address", not re.search(r"(src|href)=[\"']?(https?:)?//", page.replace(data, "")))
    return json.loads(data)


def check_html(path, report, label):
    page = check_page(program.output("report", "-f", "html", path), label + ", html")
    check.that(label + ": html is smaller than 2 MB", len(json.dumps(page)) < 2 << 20)
    for part in page["paths"]:
        request = report["requests"][part["request"]]
        check.equal(label + ": html path", sum(part["tiles"][0::6]), request["latency_ns"])
    if page["flames"] and page["flames"][0]["by"] == "critical-path":
        flame = page["flames"][0]
        check.equal(label + ": html flame", flame["total"], expected(report, "critical-path", "first_request"))
        check.equal(label + ": html flame's frames", sum(flame["nodes"][3::5]), flame["total"])
    check.equal(label + ": html has the whole report", [r["latency_ns"] for r in page["report"]["requests"]], [r["latency_ns"] for r in report["requests"]])


def check_perfetto(path, report, label):
    packets = [dict(fields(value)) for number, value in fields(program.export(path, "perfetto", "--phase", "all")) if number == 1]
    depth, names, path_ns = {}, {}, 0
    begun = {}
    for packet in packets:
        if 11 not in packet:
            continue
        event = dict(fields(packet[11]))
        track, at = event[11], packet[8]
        if event[9] == 1:
            depth.setdefault(track, []).append(at)
            categories = event[22]
            names.setdefault(categories, []).append(event[23])
            if categories == b"critical-path":
                begun[track] = at
        elif event[9] == 2:
            check.that(label + ": perfetto ends what began, later", depth.get(track) and depth[track][-1] <= at)
            depth[track].pop()
            if track in begun:
                path_ns += at - begun.pop(track)
    check.that(label + ": perfetto leaves nothing open", not any(depth.values()))
    check.equal(label + ": perfetto's critical paths", path_ns, sum(r["latency_ns"] for r in report["requests"]))
    switches = wakes = 0
    for packet in packets:
        if 1 in packet and isinstance(packet[1], bytes):
            last = 0
            for number, value in fields(packet[1]):
                if number == 2:
                    event = dict(fields(value))
                    check.that(label + ": kernel events of a bundle are in order", event[1] >= last)
                    last = event[1]
                    switches += 4 in event
                    wakes += 20 in event
    kinds = report["events"]["by_kind"]
    check.that(label + ": perfetto has the switches", kinds.get("switch_out", 0) <= switches <= kinds.get("switch_out", 0) + kinds.get("switch_in", 0))
    check.equal(label + ": perfetto has the wakings", wakes, kinds.get("wake", 0))


def check_difference(before, after):
    rows = read_folded(program.export(before, "folded", "--vs", after), 2)
    check.equal("difference: before", sum(values[0] for _, values in rows), expected(program.report(before), "critical-path", "first_request"))
    check.equal("difference: now", sum(values[1] for _, values in rows), expected(program.report(after), "critical-path", "first_request"))
    frames = {frame: values for stack, values in rows for frame in stack}
    check.that("difference: the vanished frame is there", any("app.Gone.work" in stack and values[0] and not values[1] for stack, values in rows))
    check.that("difference: the grown frame is there", any("app.New.work" in stack and values[1] and not values[0] for stack, values in rows))
    check.equal("difference: lambdas are one", [frame for frame in frames if "Lambda" in frame], ["app.Main$$Lambda/*.accept"])
    rows = read_csv(program.export(before, "csv", "--vs", after))
    check.that("difference: csv", all(int(row["value"]) - int(row["before"]) == int(row["change"]) for row in rows))
    check_svg(program.export(before, "svg", "--vs", after), "difference")
    check_page(program.export(before, "flamegraph", "--vs", after), "difference")
    page = check_page(program.output("compare", "-f", "html", before, before, "--vs", after, after), "comparison")
    check.equal("comparison: its flame", [page["flames"][0][key] for key in ("before", "total")], [40000000, 40000000])
    check.equal("a recording against itself has no change", {values[0] - values[1] for _, values in read_folded(program.export(before, "folded", "--vs", before), 2)}, {0})


def check_cold_and_warm(path):
    """The first request minus as many warm ones: what is left of each unit by itself is given to the next."""
    report = program.report(path)
    cold, warm = sum(r["cold"] for r in report["requests"]), sum(not r["cold"] for r in report["requests"])
    for by in VIEWS:
        rows = read_folded(program.export(path, "folded", "--minus-warm", "--by", by), 2)
        single = {phase: sum(values[0] for _, values in read_folded(program.export(path, "folded", "--by", by, "--phase", phase)))
                  for phase in ("first_request", "warm")}
        check.equal("cold minus warm, %s: first" % by, sum(values[1] for _, values in rows), single["first_request"])
        found, wanted = sum(values[0] for _, values in rows), single["warm"] * cold // warm
        check.that("cold minus warm, %s: warm %d, wanted %d" % (by, found, wanted), found == wanted)
        rows = read_csv(program.export(path, "csv", "--minus-warm", "--by", by))
        check.that("cold minus warm, %s: csv" % by, all(int(row["value"]) - int(row["before"]) == int(row["change"]) for row in rows))
    rows = read_folded(program.export(path, "folded", "--minus-warm"), 2)
    check.that("cold minus warm: what only warm ones have is there", any("app.Service.answer" in stack and values[0] and not values[1] for stack, values in rows))
    check.that("cold minus warm: what only the first has is there", any("app.Gone.work" in stack and values[1] and not values[0] for stack, values in rows))
    check_svg(program.export(path, "svg", "--minus-warm"), "cold minus warm")
    check.equal("cold minus warm: words of the page", check_page(program.export(path, "flamegraph", "--minus-warm"), "cold minus warm")["words"]["change"], "first minus warm")


def check_usage(path):
    for words, message in (
            (["--format", "firefox"], "a later version"), (["--format", "otlp"], "a later version"), (["--format", "perfetto", "--by", "classes"], "not one view"),
            (["--format", "pprof", "--vs", path], "no differences"), (["--format", "speedscope", "--vs", path], "no differences"), (["--format", "perfetto", "--vs", path], "no differences"),
            (["--format", "pprof", "--minus-warm"], "no differences"), (["--minus-warm", "--vs", path], "with --vs"), (["--minus-warm", "--phase", "warm"], "with another phase"),
            (["--format", "svg", "--phase", "startup"], "only requests have one"), (["--format", "jpeg"], "jpeg")):
        done = program.run("export", *words, path)
        check.equal(" ".join(words) + ": status", done.returncode, 2)
        check.that(" ".join(words) + ": message " + done.stderr.decode(), message in done.stderr.decode())
        check.equal(" ".join(words) + ": output", done.stdout, b"")


hostile = program.recording("hostile")
report = program.report(hostile)
check_views(hostile, report, "hostile", ["startup", "first_request", "all"])
check_html(hostile, report, "hostile")
check_perfetto(hostile, report, "hostile")
for trace in sys.argv[3:]:
    path = program.recording(trace)
    report = program.report(path)
    label = trace.rsplit("/", 1)[-1]
    check_views(path, report, label, ["first_request"])
    check_html(path, report, label)
    check_perfetto(path, report, label)
for options in (["--minus-warm"], ["--vs", program.recording("plain", "1")]):
    check_svg(program.export(hostile, "svg", *options), "hostile, " + options[0])
    check_page(program.export(hostile, "flamegraph", *options), "hostile, " + options[0])
    for form in ("folded", "csv", "ndjson"):
        check.that("hostile, %s, %s: no unsafe character" % (options[0], form), not UNSAFE.search(program.export(hostile, form, *options).decode("utf-8").replace("\r\n", "\n")))
check_page(program.output("compare", "-f", "html", hostile, hostile, "--vs", hostile, hostile), "hostile comparison")
check_difference(program.recording("plain", "1"), program.recording("plain", "2"))
check_cold_and_warm(program.recording("plain", "1"))
check_usage(hostile)
check.finish()
