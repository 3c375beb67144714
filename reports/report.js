/* The report of one run. */
const report = data.report;
const cold = (report.cold_vs_warm || [])[0];
const listed = value => Boolean(value && value.length);

function groupsOf(rows, key) {
  const sums = new Map();
  for (const row of rows) sums.set(groupOf(row.cause), (sums.get(groupOf(row.cause)) || 0) + row[key]);
  return [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]);
}
function stackedBar(parts, whole, largest) {
  return element("div", { class: "bar", role: "img", "aria-label": parts.map(([group, sum]) => `${groupWords[group] || group} ${duration(sum)}`).join(", "), style: { width: Math.max(0.4, (100 * whole) / largest) + "%" } },
    parts.map(([group, sum]) => element("span", { class: hatched.has(group) ? "hatch" : null, style: { "flex": `${sum} 0 0`, "background-color": `var(--${group})` }, on: { mousemove: event => showTip(event, `${groupWords[group] || group}: ${duration(sum)}, ${percent(sum / whole)}`), mouseleave: hideTip } }, sum / largest > 0.06 ? groupWords[group] || group : "")));
}

/* ---- the answer ---- */

function answer() {
  const main = document.getElementById("main");
  main.append(element("h1", { id: "answer" }, name(unbroken(report.verdict || ""))));
  if (report.losses && report.losses.events) main.append(element("p", { class: "notice", role: "note" }, `${count(report.losses.events)} events could not be recorded: counts are lower bounds where they fell.`));
  for (const note of report.notes || []) main.append(element("p", { class: "notice", role: "note" }, name(note)));
  const ready = (report.milestones || []).find(each => each.name === "ready"), cards = [];
  const card = (label, figure, about, kind) => cards.push(element("div", { class: "card " + (kind || "") }, element("div", { class: "name" }, label), element("div", { class: "figure" }, figure), element("div", { class: "about" }, about)));
  if (cold) {
    card("First request", duration(cold.cold_ns), name(cold.route), "cold");
    if (cold.warm_count) card("Warm request", duration(cold.warm_ns), `mean of the middle half of ${cold.warm_count}, median ${duration(cold.warm_median_ns)}`, "warm");
    if (cold.warm_count && cold.warm_ns > 0) card("The first costs", "× " + three(cold.cold_ns / cold.warm_ns), `${duration(cold.excess_ns)} more`);
  }
  if (ready) card("From exec to ready", duration(ready.t_ns), "listens and waits for connections");
  if (report.classes && report.classes.loaded !== undefined) card("Classes loaded", count(report.classes.loaded), "in the whole run");
  const exceptions = (report.exceptions || []).reduce((sum, each) => sum + each.count, 0);
  if (report.exceptions) card("Exceptions", count(exceptions), "stack traces filled, in the whole run");
  main.append(element("div", { class: "cards" }, cards));
}

/* ---- cold and warm by cause ---- */

function causesSection() {
  if (!listed(report.cold_vs_warm)) return;
  section("causes", "Where the time goes", "Every nanosecond of the first request stands under one cause; beside it what the same cause costs in a warm request. The difference is the warm-up bill. Causes are exclusive: a page fault inside class loading is a page fault.",
    report.cold_vs_warm.map((pair, at) => {
      const largest = Math.max(pair.cold_ns, pair.warm_ns, 1), cold = groupsOf(pair.causes, "cold_ns"), warm = groupsOf(pair.causes, "warm_ns");
      const used = [...new Set([...cold, ...warm].map(([group]) => group))];
      const bars = element("div", { class: "bars" }, element("span", { class: "what" }, "first"), stackedBar(cold, pair.cold_ns, largest), element("span", { class: "sum" }, duration(pair.cold_ns)),
        pair.warm_count ? [element("span", { class: "what" }, "warm"), stackedBar(warm, pair.warm_ns, largest), element("span", { class: "sum" }, duration(pair.warm_ns))] : []);
      const most = Math.max(...pair.causes.map(row => Math.abs(row.excess_ns)), 1);
      return element("div", { class: "pair" }, report.cold_vs_warm.length > 1 && element("h3", null, name(pair.route)), bars, element("ul", { class: "legend" }, used.map(group => element("li", null, swatch(group), groupWords[group]))),
        element("p"), table("causes", "Causes of " + pair.route, [
          { title: "Cause", key: "cause", wide: true, text: row => wordsOf(row.cause), cell: (row, marked) => [swatch(groupOf(row.cause)), marked(wordsOf(row.cause)), row.estimated ? element("span", { class: "guess", title: "the cause is that of the nearest sample" }, " ~ estimated") : null] },
          { title: "First", key: "cold_ns", number: nanoseconds }, { title: "Warm", key: "warm_ns", number: nanoseconds }, { title: "Difference", key: "excess_ns", number: value => signed(value, duration) },
          { title: "Share", key: "share", number: percent, help: "of the whole difference" },
          { title: "", key: "excess_ns", share: true, text: () => "", cell: row => partBar(Math.abs(row.excess_ns) / most, groupOf(row.cause)) },
        ], pair.causes, { sort: 3, rows: 14 }), at < report.cold_vs_warm.length - 1 && element("p"));
    }),
    listed(report.what_if) && element("details", null, element("summary", null, "What if one of them took no time? (estimates)"), table("causes", "What if", [{ title: "Without", key: "without", wide: true }, { title: "The first request would take", key: "cold_ns", number: nanoseconds }], report.what_if, { sort: 1 })));
}

/* ---- findings ---- */

function findingsSection() {
  const list = report.findings || [];
  section("findings", "Findings", listed(list) ? "Problems that the recording proves, with what they cost on the first request's path and what removes them. Prices overlap: they are not to be added up." : "Nothing stands out: no rule found a problem in this run.",
    element("div", { class: "findings" }, list.map(finding => element("article", { class: "finding", "aria-label": plain(finding.title) },
      element("header", null, element("h3", null, name(finding.title)), finding.cost_ns ? element("span", { class: "price" }, (finding.estimated ? "≤ " : "") + duration(finding.cost_ns)) : null),
      element("span", { class: "id" }, finding.id), element("ul", null, finding.evidence.map(line => element("li", null, name(line)))),
      element("p", { class: "remedy" }, element("strong", null, "What helps: "), name(finding.remedy), " ", copyButton("Copy", "remedy", () => finding.remedy)), element("details", null, element("summary", null, "More about it"), element("code", null, `warmtrace report --explain ${finding.id} FILE.wtr`))))));
}

/* ---- the warm-up curve ---- */

function curveSection() {
  const requests = report.requests || [];
  if (requests.length < 2) return;
  section("curve", "Warm-up curve", "The latency of each request in the order in which they came, on a logarithmic scale; diamonds are cold.", element("div", { class: "panel" }, fluid(width => drawCurve(requests, width))), element("p"), requestTables(requests));
}
function drawCurve(requests, width) {
  const height = 240, left = 66, bottom = 28, routes = [...new Set(requests.map(each => each.route))];
  const values = requests.map(each => Math.max(1, each.latency_ns)), low = Math.log10(Math.min(...values)), high = Math.log10(Math.max(...values)), last = Math.max(...requests.map(each => each.index), 1);
  const x = index => left + (index / last) * (width - left - 14), y = ns => 12 + (1 - (Math.log10(Math.max(1, ns)) - low) / Math.max(0.05, high - low)) * (height - bottom - 22);
  const chart = drawn("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Latency of ${requests.length} requests in their order, on a logarithmic scale, from ${duration(values[0])} to ${duration(values[values.length - 1])}` });
  for (let power = Math.floor(low); power <= Math.ceil(high); power++) for (const times of [1, 2, 5]) {
    const ns = times * 10 ** power;
    if (Math.log10(ns) < low - 0.02 || Math.log10(ns) > high + 0.02) continue;
    chart.append(drawn("line", { x1: left, x2: width - 8, y1: y(ns), y2: y(ns), class: "axis" }), drawn("text", { x: left - 8, y: y(ns) + 4, "text-anchor": "end" }, duration(ns)));
  }
  for (const step of [...new Set([0, 0.25, 0.5, 0.75, 1].map(part => Math.round(part * last)))]) chart.append(drawn("text", { x: x(step), y: height - 8, "text-anchor": "middle" }, step === 0 ? "first" : String(step + 1)));
  if (cold && cold.warm_count) chart.append(drawn("line", { x1: left, x2: width - 8, y1: y(cold.warm_ns), y2: y(cold.warm_ns), stroke: "var(--warm)", "stroke-dasharray": "5 4" }), drawn("text", { x: width - 10, y: y(cold.warm_ns) - 5, "text-anchor": "end" }, "warm " + duration(cold.warm_ns)));
  routes.forEach((route, at) => {
    const own = requests.filter(each => each.route === route), dash = ["", "6 3", "2 3", "8 3 2 3"][at % 4];
    chart.append(drawn("polyline", { points: own.map(each => `${x(each.index)},${y(each.latency_ns)}`).join(" "), fill: "none", stroke: "var(--soft)", "stroke-width": 1.3, "stroke-dasharray": dash }));
    for (const each of own) {
      const dot = each.cold ? drawn("rect", { x: x(each.index) - 5, y: y(each.latency_ns) - 5, width: 10, height: 10, fill: "var(--cold)", transform: `rotate(45 ${x(each.index)} ${y(each.latency_ns)})` }) : drawn("circle", { cx: x(each.index), cy: y(each.latency_ns), r: 4, fill: "var(--warm)" });
      dot.addEventListener("mousemove", event => showTip(event, `request ${each.index + 1}, ${each.cold ? "cold" : "warm"}\n${plain(each.route)}\n${duration(each.latency_ns)}, status ${each.status ?? "–"}`));
      dot.addEventListener("mouseleave", hideTip);
      chart.append(dot);
    }
  });
  return chart;
}
function requestTables(requests) {
  return [
    table("curve", "Requests", [{ title: "No.", key: "index", number: value => count(value + 1) }, { title: "Request", key: "route", wide: true, cell: (row, marked) => [marked(row.route), row.cold ? element("span", { class: "under" }, "cold") : null] }, { title: "Status", key: "status", number: value => value ?? "–" },
      { title: "Latency", key: "latency_ns", number: nanoseconds }, { title: "Client saw", key: "client_latency_ns", number: nanoseconds }, { title: "Classes", key: "classes", value: row => row.counts.classes_loaded, number: count, text: row => count(row.counts.classes_loaded), cell: row => count(row.counts.classes_loaded) },
      { title: "Exceptions", key: "exceptions", value: row => row.counts.exceptions, number: count, cell: row => count(row.counts.exceptions), text: row => count(row.counts.exceptions) },
      { title: "Context switches", key: "switches", value: row => row.counts.context_switches, number: count, cell: row => count(row.counts.context_switches), text: row => count(row.counts.context_switches) }], requests, { rows: 12, sort: 0, falling: false }),
    listed(report.routes) && table("curve", "Routes", [{ title: "Route", key: "route", wide: true }, { title: "Requests", key: "requests", number: count }, { title: "Errors", key: "errors", number: count }, { title: "p50", key: "p50_ns", number: nanoseconds }, { title: "p95", key: "p95_ns", number: nanoseconds }, { title: "p99", key: "p99_ns", number: nanoseconds },
      { title: "Slowest", key: "max_ns", number: nanoseconds }, { title: "Until warm", key: "until_warm", number: count, help: "requests until latency stayed near the warm one" }], report.routes, { heading: "All requests by route" }),
  ];
}

/* ---- lists ---- */

const phaseOrder = ["launch", "vm_init", "startup", "idle", "first_request", "warm", "shutdown"];
const phaseColumn = { title: "Phase", key: "phase", value: row => phaseOrder.indexOf(row.phase), text: row => row.phase.replace("_", " "), cell: row => row.phase.replace("_", " ") };

function phasesSection() {
  if (!listed(report.phases)) return;
  const counted = [["opens", "Opens"], ["lookups", "Look-ups"], ["jar_reads", "Jar reads"], ["minor_faults", "Faults"], ["exceptions", "Exceptions"], ["classes_loaded", "Classes"], ["threads_started", "Threads"], ["context_switches", "Switches"], ["compilations", "Compilations"]];
  section("phases", "Phases", "What the whole process tree did in each part of the run.", table("phases", "Phases", [{ ...phaseColumn, key: "name", value: row => phaseOrder.indexOf(row.name), text: row => row.name.replace("_", " "), cell: row => row.name.replace("_", " ") },
    { title: "From", key: "start_ns", number: nanoseconds }, { title: "Length", key: "length", number: nanoseconds, value: row => row.end_ns - row.start_ns, text: row => duration(row.end_ns - row.start_ns), cell: row => duration(row.end_ns - row.start_ns) }, { title: "CPU time", key: "cpu_ns", number: nanoseconds },
    ...counted.map(([key, title]) => ({ title, key, number: count, value: row => row.counts[key], text: row => count(row.counts[key]), cell: row => count(row.counts[key]) }))], report.phases, {}));
}
function exceptionsSection() {
  const throws = report.exceptions_without_stack_trace;
  if (!listed(report.exceptions) && !listed(throws)) return;
  section("exceptions", "Exceptions", "Stack traces that were filled, whether or not the exception was thrown. Most are caught and never seen, and still cost their walk of the stack.", listed(report.exceptions) && table("exceptions", "Exceptions", [
    { title: "Class", key: "class", wide: true, cell: (row, marked) => [marked(row.class), row.thrown_at ? element("span", { class: "under" }, "thrown at ", name(row.thrown_at)) : null, row.caught_at ? element("span", { class: "under" }, "caught at ", name(row.caught_at)) : null,
      listed(row.stack) ? element("details", null, element("summary", null, "stack"), element("ol", { class: "stack" }, row.stack.map(frame => element("li", null, name(data.texts[frame]))))) : null] },
    phaseColumn, { title: "Count", key: "count", number: count }, { title: "Time", key: "duration_ns", number: nanoseconds }, { title: "Own", key: "exclusive_ns", number: nanoseconds, help: "without page faults and the like inside" }], report.exceptions, { sort: 2, rows: 15 }),
    listed(throws) && table("exceptions", "Exceptions without a stack trace", [{ title: "Class", key: "class", wide: true, cell: (row, marked) => [marked(row.class), row.seen_at ? element("span", { class: "under" }, "first seen at ", name(row.seen_at)) : null] }, { title: "Thrown by", key: "by_vm", text: row => (row.by_vm ? "the VM" : "Java"), cell: row => (row.by_vm ? "the VM" : "Java") }, phaseColumn, { title: "At least", key: "count", number: count, help: "what only compiled code throws and catches is not seen" }], throws, { sort: 3, rows: 12, heading: "Thrown without a stack trace" }));
}
function classesSection() {
  const classes = report.classes;
  if (!classes) return;
  const from = Object.entries(classes.from || {}).filter(([, many]) => many), whole = from.reduce((sum, [, many]) => sum + many, 0) || 1, words = { cds: "CDS archive", aot: "AOT cache", jar: "jars", jrt: "the JDK's modules", directory: "folders", generated: "made at run time", other: "elsewhere" };
  const shades = { cds: "jit", aot: "file", jar: "class", jrt: "code", directory: "kernel", generated: "exception", other: "wait" };
  section("classes", "Class loading", `${count(classes.loaded)} classes were loaded in the run.`,
    listed(from) && [element("div", { class: "bar", role: "img", "aria-label": from.map(([key, many]) => `${count(many)} from ${words[key]}`).join(", ") }, from.map(([key, many]) => element("span", { style: { flex: `${many} 0 0`, "background-color": `var(--${shades[key]})` }, on: { mousemove: event => showTip(event, `${count(many)} from ${words[key]}, ${percent(many / whole)}`), mouseleave: hideTip } }, many / whole > 0.07 ? `${words[key]} ${count(many)}` : ""))),
      element("ul", { class: "legend" }, from.map(([key, many]) => element("li", null, swatch(shades[key]), `${words[key]} ${count(many)}`)))], element("p"),
    ...[["by_jar", "jar", "Source", "By source"], ["by_package", "package", "Package", "By package"], ["by_loader", "loader", "Loader", "By loader"]].map(([list, key, title, heading]) => listed(classes[list]) && table("classes", "Classes " + heading.toLowerCase(), [{ title, key, wide: true }, { title: "Classes", key: "classes", number: count }, { title: "Time", key: "duration_ns", number: nanoseconds, help: "without the loads of other classes inside" },
      { title: "First request", key: "first_request_classes", number: count }, { title: "Time", key: "first_request_ns", number: nanoseconds }, { title: "Warm", key: "warm_classes", number: count }, { title: "Time", key: "warm_ns", number: nanoseconds }], classes[list], { sort: 2, rows: 12, heading })),
    listed(classes.slowest) && table("classes", "Slowest classes", [{ title: "Class", key: "class", wide: true, cell: (row, marked) => [marked(row.class), row.source ? element("span", { class: "under" }, "from ", name(row.source)) : null, row.requested_by ? element("span", { class: "under" }, "requested by ", name(row.requested_by)) : null, listed(row.loader_chain) ? element("span", { class: "under" }, "through ", name(row.loader_chain.join(" → "))) : null] }, phaseColumn, { title: "Time", key: "duration_ns", number: nanoseconds, help: "with everything inside" }], classes.slowest, { sort: 2, rows: 12, heading: "The slowest" }),
    listed(classes.initializers) && table("classes", "Static initialisers", [{ title: "Class", key: "class", wide: true }, phaseColumn, { title: "Thread", key: "thread" }, { title: "Own", key: "own_ns", number: nanoseconds, help: "without the initialisers of other classes inside" }, { title: "Time", key: "duration_ns", number: nanoseconds, help: "with everything inside" }], classes.initializers, { sort: 3, rows: 12, heading: "The slowest static initialisers" }),
    listed(classes.generated) && table("classes", "Generated classes", [{ title: "Class", key: "class", wide: true }, { title: "Kind", key: "kind" }, phaseColumn, { title: "Time", key: "duration_ns", number: nanoseconds, help: "parsing, linking and initialising it" }], classes.generated, { sort: 3, rows: 12, heading: "The most expensive generated classes" }),
    listed(classes.not_found) && table("classes", "Classes not found", [{ title: "Class", key: "class", wide: true, cell: (row, marked) => [marked(row.class), row.requested_by ? element("span", { class: "under" }, "requested by ", name(row.requested_by)) : null] }, phaseColumn, { title: "Times", key: "count", number: count }, { title: "Time", key: "duration_ns", number: nanoseconds }], classes.not_found, { sort: 3, rows: 12, heading: "Asked for and never found" }));
}
function jvmSection() {
  const { compilations, hot_methods: methods, deoptimizations: given, pause_causes: pauses } = report;
  if (!listed(compilations) && !listed(methods) && !listed(given) && !listed(pauses)) return;
  const shares = [["interpreted_ns", "Interpreted"], ["c1_ns", "C1"], ["c2_ns", "C2"], ["other_ns", "Other"]];
  section("jvm", "Compilers and pauses", "What the hottest methods of the requests were run as, by samples; what was compiled meanwhile; and what stopped all threads.",
    listed(methods) && table("jvm", "Hottest methods", [{ title: "Method", key: "method", wide: true }, phaseColumn, { title: "Sampled", key: "total_ns", number: nanoseconds }, ...shares.map(([key, title]) => ({ title, key, number: nanoseconds }))], methods, { sort: 2, rows: 12, heading: "The hottest methods" }),
    listed(compilations) && table("jvm", "Compilations", [{ title: "Method", key: "method", wide: true }, { title: "Compiler", key: "compiler" }, { title: "Tier", key: "tier", number: value => value ?? "–" }, phaseColumn, { title: "From", key: "start_ns", number: nanoseconds }, { title: "Waited", key: "queue_wait_ns", number: nanoseconds, help: "in the queue" }, { title: "Time", key: "duration_ns", number: nanoseconds }], compilations, { sort: 6, rows: 12, heading: "The longest compilations during requests" }),
    listed(given) && table("jvm", "Deoptimisations", [{ title: "Method", key: "method", wide: true, text: row => row.method || "not known", cell: (row, marked) => marked(row.method || "not known") }, { title: "Reason", key: "reason" }, { title: "Action", key: "action" }, phaseColumn, { title: "Times", key: "count", number: count }], given, { rows: 12, heading: "Compiled code that was given up" }),
    listed(pauses) && table("jvm", "Pauses", [{ title: "Cause", key: "operation", wide: true, text: row => row.operation || "not known", cell: (row, marked) => marked(row.operation || "not known") }, phaseColumn, { title: "Pauses", key: "count", number: count }, { title: "Stopped", key: "pause_ns", number: nanoseconds }, { title: "Longest", key: "longest_ns", number: nanoseconds }], pauses, { sort: 3, rows: 12, heading: "Pauses by cause" }));
}
function jarsSection() {
  if (!listed(report.jars)) return;
  const ofPhase = (row, phase, key) => row.phase_counts[phase] && row.phase_counts[phase][key], column = (title, phase) => ({ title, key: phase, number: bytes, value: row => ofPhase(row, phase, "bytes"), text: row => bytes(ofPhase(row, phase, "bytes") || 0), cell: row => bytes(ofPhase(row, phase, "bytes") || 0) });
  const touched = row => (row.size ? percent(row.bytes_touched / row.size) : ""), unused = report.jars.filter(row => row.unused), base = path => path.slice(path.lastIndexOf("/") + 1);
  const entries = report.jars.flatMap(jar => (jar.entries || []).map(entry => ({ ...entry, jar: jar.path }))).sort((a, b) => b.bytes_read - a.bytes_read).slice(0, 300);
  section("jars", "Jars and entries", "What was read of each archive. An entry that is read again is read and unpacked twice.", table("jars", "Jars", [
    { title: "Jar", key: "path", wide: true, cell: (row, marked) => [marked(row.path), row.nested_in ? element("span", { class: "under" }, "in ", name(row.nested_in)) : null] }, { title: "Opens", key: "opens", number: count }, { title: "Reads", key: "reads", number: count }, { title: "Read", key: "bytes_read", number: bytes },
    { title: "Wanted", key: "bytes_wanted", number: bytes, help: "the size of the entries that were read" }, column("Cold", "first_request"), column("Warm", "warm"), { title: "Entries", key: "entries_total", number: count }, { title: "Read of them", key: "entries_read", number: count }, { title: "Read again", key: "entries_reread", number: count },
    { title: "Touched", key: "bytes_touched", number: bytes, help: "the share of it that some read covered", value: row => (row.size ? row.bytes_touched / row.size : undefined), text: touched, cell: touched }], report.jars, { sort: 2, rows: 15 }),
    listed(unused) && element("p", null, `Nothing was wanted of ${count(unused.length)} of them: `, name(unused.map(row => base(row.path)).join(", "))),
    listed(entries) && table("jars", "Entries", [{ title: "Entry", key: "name", wide: true, cell: (row, marked) => [marked(row.name), element("span", { class: "under" }, "in ", name(row.jar), row.requested_by ? [", for ", name(row.requested_by)] : null)] }, { title: "Wanted", key: "bytes_wanted", number: bytes, help: "nothing: it only lay in the block of another" }, { title: "Read", key: "bytes_read", number: bytes }, { title: "Reads", key: "reads", number: count }, { title: "Again", key: "rereads", number: count }, column("Cold", "first_request"), column("Warm", "warm"),
      { title: "Wanted in", key: "wanted_in", text: row => row.wanted_in.join(" ").replaceAll("_", " "), value: row => row.wanted_in.length, cell: row => row.wanted_in.map(phase => phase.replace("_", " ")).join(", ") }], entries, { sort: 2, rows: 15, heading: "Entries that were read most" }),
    listed(report.duplicate_classes) && table("jars", "Classes in several jars", [{ title: "Class", key: "class", wide: true }, { title: "Loaded from", key: "loaded_from", wide: true }, { title: "Jars", key: "jars", value: row => row.jars.length, text: row => row.jars.join(" "), cell: (row, marked) => marked(row.jars.map(base).join(", ")) }], report.duplicate_classes, { rows: 12, heading: "Classes in several jars" }));
}
function filesSection() {
  if (!listed(report.files)) return;
  section("files", "Files", "Every path that was opened, looked up or read; failed look-ups are a class path that is searched.", table("files", "Files", [{ title: "Path", key: "path", wide: true }, { title: "Opens", key: "opens", number: count }, { title: "failed", key: "failed_opens", number: count }, { title: "Look-ups", key: "lookups", number: count }, { title: "failed", key: "failed_lookups", number: count },
    { title: "Reads", key: "reads", number: count }, { title: "Read", key: "bytes_read", number: bytes }, { title: "Time", key: "duration_ns", number: nanoseconds }], report.files, { sort: 7, rows: 15 }));
}
function searchesSection() {
  if (!listed(report.searches)) return;
  section("searches", "Searches that found nothing", "Opens and look-ups that failed, by folder and pattern of names.", table("searches", "Searches that found nothing", [{ title: "Where", key: "folder", wide: true, text: row => `${row.folder}/${row.pattern}`, cell: (row, marked) => [marked(`${row.folder === "/" ? "" : row.folder}/${row.pattern}`), row.for ? element("span", { class: "under" }, row.for) : null] }, { title: "Tries", key: "failed", number: count }, { title: "Names", key: "names", number: count },
      ...[["Cold", "first_request"], ["Warm", "warm"]].map(([title, phase]) => ({ title, key: phase, number: count, value: row => row.phase_counts[phase] || 0, text: row => count(row.phase_counts[phase] || 0), cell: row => count(row.phase_counts[phase] || 0) })), { title: "Time", key: "duration_ns", number: nanoseconds }], report.searches, { sort: 1, rows: 12 }));
}
function pageCacheSection() {
  const cache = report.page_cache;
  if (!cache || !listed(cache.files)) return;
  section("disk", "Page cache and disk", cache.state && `The page cache was ${cache.state === "partly" ? "warm in part only" : cache.state}: ${bytes(cache.resident)} of the ${bytes(cache.size)} of files that the command names were in memory at exec${cache.dropped ? ", after --drop-caches" : ""}. All threads together waited ${duration(cache.disk_ns)} for the disk.`, table("disk", "Files and the disk", [{ title: "File", key: "path", wide: true }, { title: "Size", key: "size", number: bytes }, { title: "In memory at exec", key: "resident", number: bytes }, { title: "at exit", key: "resident_at_exit", number: bytes },
    { title: "Read ahead", key: "read_ahead", number: bytes, help: "of an archive: what came into memory beyond what was read" }, { title: "Major faults", key: "major_faults", number: count }, { title: "Waited", key: "disk_ns", number: nanoseconds }], cache.files, { sort: 6, rows: 12 }));
}
function faultsSection() {
  const faults = report.faults;
  if (!faults || !listed(faults.by_mapping)) return;
  const words = { heap: "Java heap", metaspace: "metaspace", class_space: "class space", code_cache: "code cache", cds: "CDS archive", aot: "AOT cache", library: "shared libraries", jar: "jars", stack: "thread stacks", malloc: "malloc, other anonymous", gc: "GC tables", file: "other files", other: "other" };
  section("faults", "Page faults", "Memory that was touched for the first time, by what it belongs to. Major ones waited for the disk.", table("faults", "Page faults", [{ title: "Mapping", key: "kind", wide: true, text: row => words[row.kind], cell: (row, marked) => marked(words[row.kind] || row.kind) }, { title: "Minor", key: "minor", number: count }, { title: "Major", key: "major", number: count }, { title: "Time", key: "duration_ns", number: nanoseconds }], faults.by_mapping, { sort: 1 }),
    listed(faults.by_file) && table("faults", "Page faults by file", [{ title: "File", key: "path", wide: true }, { title: "Part", key: "part" }, { title: "Minor", key: "minor", number: count }, { title: "Major", key: "major", number: count }, { title: "Time", key: "duration_ns", number: nanoseconds }], faults.by_file, { sort: 4, rows: 12, heading: "By file and part of it" }));
}
function memorySection() {
  const memory = report.memory;
  if (!listed(memory)) return;
  const shades = { heap: "exception", metaspace: "class", class_space: "unexplained", code_cache: "code", cds: "jit", aot: "file", library: "kernel", jar: "lock", stack: "safepoint", malloc: "fault", gc: "gc", file: "wait", other: "cpu" };
  const most = Math.max(...memory.map(each => each.rss)), rows = memory.flatMap(each => each.by_kind.map(kind => ({ at: each.at.replace("_", " "), ...kind }))), used = [...new Set(rows.map(row => row.kind))];
  section("memory", "Memory", "Resident memory of the main process at four moments, by what it is used for.", element("div", { class: "bars" }, memory.map(each => [element("span", { class: "what" }, each.at.replace("_", " ")),
    element("div", { class: "bar", role: "img", "aria-label": `${bytes(each.rss)} resident`, style: { width: (100 * each.rss) / most + "%" } }, each.by_kind.filter(kind => kind.rss).sort((a, b) => b.rss - a.rss).map(kind => element("span", { style: { flex: `${kind.rss} 0 0`, "background-color": `var(--${shades[kind.kind]})` }, on: { mousemove: event => showTip(event, `${kind.kind.replace("_", " ")}: ${bytes(kind.rss)} resident, ${bytes(kind.committed)} committed, ${bytes(kind.reserved)} reserved`), mouseleave: hideTip } }, kind.rss / most > 0.07 ? kind.kind.replace("_", " ") : ""))),
    element("span", { class: "sum" }, bytes(each.rss))])), element("ul", { class: "legend" }, used.map(kind => element("li", null, swatch(shades[kind]), kind.replace("_", " ")))), element("p"),
    table("memory", "Memory", [{ title: "At", key: "at" }, { title: "Use", key: "kind", wide: true, text: row => row.kind.replace("_", " "), cell: (row, marked) => marked(row.kind.replace("_", " ")) }, { title: "Resident", key: "rss", number: bytes }, { title: "Committed", key: "committed", number: bytes }, { title: "Reserved", key: "reserved", number: bytes }], rows, { rows: 13 }));
}
function threadsSection() {
  if (!listed(report.threads)) return;
  section("threads", "Threads", null, listed(report.thread_roles) && table("threads", "Roles", [{ title: "Role", key: "role", wide: true }, { title: "Threads", key: "threads", number: count }, { title: "CPU time", key: "cpu_ns", number: nanoseconds }], report.thread_roles, { sort: 2, heading: "By role" }), table("threads", "Threads", [{ title: "Thread", key: "name", wide: true }, { title: "Role", key: "role" }, { title: "Process", key: "pid", number: String }, { title: "Thread id", key: "tid", number: String }, { title: "Created", key: "created_ns", number: nanoseconds }, { title: "Ended", key: "ended_ns", number: nanoseconds }, { title: "CPU time", key: "cpu_ns", number: nanoseconds }], report.threads, { sort: 6, rows: 15 }));
}
function connectionsSection() {
  if (!listed(report.connections)) return;
  section("connections", "Outbound connections", null, table("connections", "Connections", [{ title: "Peer", key: "peer", wide: true }, phaseColumn, { title: "Connects", key: "connects", number: count }, { title: "failed", key: "failed", number: count }, { title: "Time", key: "connect_ns", number: nanoseconds }, { title: "Reused", key: "reused", number: count }, { title: "At once", key: "most_at_once", number: count }, { title: "Out", key: "bytes_out", number: bytes }, { title: "In", key: "bytes_in", number: bytes }], report.connections, { sort: 2 }));
}
function runSection() {
  const facts = pairs => element("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([label, value]) => [element("dt", null, label), element("dd", null, value instanceof Node ? value : name(value))]));
  const { run, machine, runtime } = report, exit = run.exit || {};
  section("run", "The run", null, element("div", { class: "columns" }, element("div", { class: "panel" }, element("h3", null, "Command"), facts([["command", (run.command || []).join(" ")], ["started", run.start], ["took", duration(run.wall_ns)], ["user", run.user], ["process", run.main_pid], ["ended", `${exit.kind} ${exit.code}${exit.by_us ? ", asked to by warmtrace" : ""}`], ["out of memory", exit.oom]])),
    element("div", { class: "panel" }, element("h3", null, "Runtime"), facts([["kind", runtime.kind], ["version", runtime.version], ["vendor", runtime.vendor], ["collector", runtime.gc], ["largest heap", runtime.max_heap && bytes(runtime.max_heap)], ["arguments", (runtime.arguments || []).join(" ")], ["CDS archive", runtime.cds && (runtime.cds.mapped ? runtime.cds.archive || "mapped" : "not mapped")], ["AOT cache", runtime.aot_cache && (runtime.aot_cache.mapped ? "mapped" : runtime.aot_cache.reason || "not used")],
      ["compilations", report.jit && `${count(report.jit.compilations)}, C1 ${count(report.jit.c1)}, C2 ${count(report.jit.c2)}`], ["collections", report.gc && `${count(report.gc.collections)}, stopped for ${duration(report.gc.pause_ns)}`]])),
    element("div", { class: "panel" }, element("h3", null, "Machine"), facts([["kernel", machine.kernel], ["architecture", machine.arch], ["CPUs", machine.cpus], ["CPU quota", machine.cpu_quota], ["memory limit", machine.memory_limit && bytes(machine.memory_limit)], ["events", report.events && count(report.events.total)], ["lost", report.losses && count(report.losses.events)], ["overhead", report.overhead && report.overhead.measured_ratio ? "× " + three(report.overhead.measured_ratio) : null], ...report.cold_vs_warm.filter((pair) => pair.cold_tracing_ns).map((pair) => ["of the first " + pair.route, "about " + duration(pair.cold_tracing_ns) + " is recording it"])]))),
    listed(Object.keys(report.not_observed_why || {})) && element("details", null, element("summary", null, "What could not be observed"), facts(Object.entries(report.not_observed_why))));
}

heading((report.run.command || []).join(" "), cold ? cold.route : "report");
answer();
causesSection();
const timelineMade = timeline(data.timeline, data.paths, report, "timeline");
section("timeline", "Timeline", "From exec to the end. The critical path is what the first request was waiting for at each moment, wherever that ran: follow it from lane to lane. Click on the picture, then zoom with the wheel.", timelineMade);
let flameMade;
if (listed(data.flames)) section("flame", "Flame graph", "Frames from the outermost to the innermost, as wide as the time spent in them on the first request's critical path (or what else is chosen). Click to zoom.",
  flameMade = flameGraph(data.flames, { id: "flame", mode: "now", modeWords: { now: "first request", before: "mean of warm ones", change: "first minus warm" } }));
findingsSection();
curveSection();
phasesSection();
exceptionsSection();
classesSection();
jvmSection();
jarsSection();
filesSection();
searchesSection();
pageCacheSection();
faultsSection();
memorySection();
threadsSection();
connectionsSection();
runSection();
contents();
document.getElementById("foot").append(`Made by warmtrace ${report.tool.version} from one recording. Times are nanoseconds on the machine's own clock, counted from exec. `, element("a", { href: "#top" }, "Back to the top"));
