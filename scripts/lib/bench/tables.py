"""The results as the tables of docs/speed.md."""

from bench import runs

START, END = "<!-- tables: made by scripts/bench --docs -->", "<!-- end of tables -->"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def amount(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def ratio(found):
    if not found:
        return ""
    low_high = f" ({found['interval'][0]:.3f}–{found['interval'][1]:.3f})" if found["interval"] else ""
    return f"{found['ratio']:.3f}{low_high}"


def compared(result):
    summary = result["summary"]
    rows = [[name, str(max(found["pairs"] for found in figures["compared"].values() if found)),
             *[ratio(figures["compared"][key]) for key, _ in runs.COMPARED]] for name, figures in summary.items()]
    first = next(iter(summary.values()))["compared"]
    rows.insert(0, ["untraced, median", "", *[amount(first[key]["untraced"]) + (" MiB" if key.endswith("mb") else " ms")
                                            if first[key] else "" for key, _ in runs.COMPARED]])
    return table(["", "pairs", *[words for _, words in runs.COMPARED]], rows)


def own(result):
    rows = []
    for name, figures in result["summary"].items():
        values = [amount(figures["own"][key]) for key, _ in runs.OWN]
        reading = result["readings"].get(name, {})
        events = reading.get("events")
        size = figures["own"]["output_mb"]
        rows.append([name, *values, f"{events:,}" if events else "",
                     f"{size * 1e6 / events:.1f}" if events and size else "", amount(reading.get("report_s")),
                     f"{reading['print_s'] * 1e6 / events:.2f}" if events and reading.get("print_s") else ""])
    return table(["", *[words + (", ms" if key.endswith("_ms") else "") for key, words in runs.OWN], "events", "bytes an event",
                  "report, s", "µs to read an event"], rows)


def agreement(result):
    rows = []
    for name, found in result["summary"].items():
        found = found.get("agreement")
        if found:
            rows += [[f"{name}, {words}", ratio(found[key]["timed"]), amount(found["tracing_ms"][tracing]), ratio(found[key]["less"]),
                      ratio(found["said"]) if key == "first_ms" else ""]
                     for key, tracing, words in (("first_ms", "first_tracing_ms", "first request"), ("warm_ms", "warm_tracing_ms", "warm median"))]
    return table(["", "curl's time over the untraced one", "tracing, as the report says, ms", "the same less that", "report's latency over curl's"], rows)


def costs(result):
    names = [name for name in result["costs"][0]["added_ns"] if name != "floor"]
    rows = [[row["what"], amount(row["untraced_ns"]), amount(row["added_ns"].get("floor")),
             *[amount(row["added_ns"].get(name)) for name in names]] for row in result["costs"]]
    return table(["ns", "untraced", "an empty probe adds", *[f"{name} adds" for name in names]], rows)


def growth(result):
    rows = [[f"{row['events']:,}", f"{row['file_bytes'] / 1e6:.1f}", amount(row["report_s"]),
             row.get("failed") or f"{row['events'] / row['report_cpu_s'] / 1e6:.1f}", f"{row['peak_mb']:.0f}"] for row in result["growth"]]
    return table(["events", "recording, MB", "text report, s", "million events a second of CPU", "memory, MiB"], rows)


def starts(result):
    rows = [[name, *[amount(row[key]) for key in ("setup_ms", "over_ms", "cpu_ms")]] for name, row in result["starts"].items()]
    return table(["around a command of 0.1 s", "before exec, ms", "over after the end, ms", "CPU, ms"], rows)


def heading(result):
    machine, versions = result["machine"], result["versions"]
    tools = ", ".join(f"{name} {version}" for name, version in versions.items() if name not in ("warmtrace", "commit", "java"))
    return (f"warmtrace {versions['warmtrace']} ({versions['commit']}); {machine['system']}, Linux {machine['kernel']} "
            f"({machine['arch']}), {machine['cpus']} CPUs ({machine['processor']}), {machine['memory_bytes'] / 2**30:.0f} GiB; "
            f"load average before: {machine['load_before']:.1f}. {versions['java']}. {tools}. "
            f"petclinic-rest, {result['layout']} layout.")


def all_tables(result):
    parts = [heading(result)]
    if result.get("summary"):
        parts += ["What the application takes under each tool, over the untraced run beside it: the median of the pairs' ratios and "
                  "its 95 % interval.", compared(result), "Whether the requests of a traced run are those of an untraced one.", agreement(result),
                  "What the tool itself takes.", own(result)]
    for name, error in result.get("failures", {}).items():
        parts.append(f"{name}: not measured ({error}).")
    for key, words, make in (("starts", "Set up and taken down, without an application.", starts),
                             ("costs", "What one event costs, in nanoseconds of CPU time of the program that makes it.", costs),
                             ("growth", "How a report's time and memory grow.", growth)):
        if result.get(key):
            parts += [words, make(result)]
    return "\n\n".join(parts)


def put_into(path, text):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{START}\n\n{text}\n\n{END}{after}")
