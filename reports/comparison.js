/* A comparison: scenarios side by side. */
const comparison = data.comparison, scenarios = comparison.scenarios, baseline = scenarios.find(each => each.name === comparison.baseline) || scenarios[0];
const listed = value => Boolean(value && value.length);
const middle = (scenario, key) => (scenario[key] ? scenario[key].median : null);
const differenceOf = scenario => (comparison.differences || []).find(each => each.scenario === scenario.name);
const changeWords = part => (part === null || part === undefined || !isFinite(part) ? "–" : (part > 0 ? "+" : part < 0 ? "−" : "±") + Math.abs(part * 100).toFixed(1) + " %");

function answer() {
  const main = document.getElementById("main");
  main.append(element("h1", { id: "answer" }, name(unbroken(comparison.verdict || ""))));
  for (const note of comparison.notes || []) main.append(element("p", { class: "notice", role: "note" }, name(note)));
  main.append(element("div", { class: "cards" }, scenarios.map(scenario => {
    const difference = differenceOf(scenario), value = middle(scenario, "first_request_ns");
    return element("div", { class: "card " + (scenario === baseline ? "cold" : "warm") }, element("div", { class: "name" }, name(scenario.name)), element("div", { class: "figure" }, duration(value)),
      element("div", { class: "about" }, scenario === baseline ? "baseline, median first request" : difference ? `${changeWords(difference.first_request_change)}, ${plain(difference.verdict)}` : "median first request"));
  })));
}

/* ---- all runs ---- */

const metrics = [["first_request_ns", "First request", duration], ["first_response_ns", "From exec to the first response", duration], ["ready_ns", "From exec to ready", duration], ["warm_ns", "Warm request", duration], ["cpu_ns", "CPU time", duration], ["peak_rss", "Peak memory", bytes]];

function stripPlot(key, title, format) {
  const shown = scenarios.filter(each => each[key] && listed(each[key].values));
  if (!shown.length) return null;
  return fluid(width => drawStrips(shown, key, title, format, width));
}
function drawStrips(shown, key, title, format, width) {
  const rowHeight = 34, left = Math.min(220, width * 0.32), right = 76, height = shown.length * rowHeight + 34, all = shown.flatMap(each => each[key].values), most = Math.max(...all) * 1.03 || 1, least = Math.min(0, ...all);
  const x = value => left + ((value - least) / (most - least)) * (width - left - right);
  const chart = drawn("svg", { class: "chart strip", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ` + shown.map(each => `${plain(each.name)} ${each[key].values.length} runs, median ${format(each[key].median)}, ${format(each[key].min)} to ${format(each[key].max)}`).join("; ") });
  for (const value of ticks(least, most, Math.max(2, (width - left - right) / 110))) chart.append(drawn("line", { x1: x(value), x2: x(value), y1: 4, y2: height - 26, class: "axis" }), drawn("text", { x: x(value), y: height - 8, "text-anchor": "middle" }, format(value)));
  shown.forEach((scenario, row) => {
    const y = row * rowHeight + 22, stat = scenario[key], colour = scenario === baseline ? "var(--cold)" : "var(--warm)";
    chart.append(drawn("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, chartText(scenario.name, left - 12)));
    stat.values.forEach((value, run) => {
      const dot = drawn(scenario === baseline ? "rect" : "circle", scenario === baseline ? { x: x(value) - 4, y: y - 4 + ((run * 7) % 11) - 5, width: 8, height: 8, fill: colour, "fill-opacity": 0.6 } : { cx: x(value), cy: y + ((run * 7) % 11) - 5, r: 4.5, fill: colour, "fill-opacity": 0.6 });
      dot.addEventListener("mousemove", event => showTip(event, `${plain(scenario.name)}, run ${run + 1}: ${format(value)}`));
      dot.addEventListener("mouseleave", hideTip);
      chart.append(dot);
    });
    chart.append(drawn("line", { x1: x(stat.median), x2: x(stat.median), y1: y - 12, y2: y + 12, stroke: "var(--text)", "stroke-width": 2.4 }), drawn("text", { x: width - right + 10, y: y + 4 }, format(stat.median)));
  });
  return chart;
}
function runsSection() {
  const usable = metrics.filter(([key]) => scenarios.some(each => each[key] && listed(each[key].values)));
  if (!usable.length) return;
  const panel = element("div", { class: "panel" }), choice = element("select", { "aria-label": "What is compared", on: { change: () => show(usable[choice.selectedIndex]) } }, usable.map(([, title]) => element("option", null, title)));
  const show = ([key, title, format]) => panel.replaceChildren(stripPlot(key, title, format));
  show(usable[0]);
  section("runs", "All runs", "Each mark is one run, the line its scenario's median.", element("div", { class: "tools" }, choice), panel, element("p"),
    table("runs", "Scenarios", [{ title: "Scenario", key: "name", wide: true, cell: (row, marked) => [marked(row.name), element("span", { class: "under" }, name((row.command || []).join(" "))), row.aot_requested ? element("span", { class: "under" }, row.aot_mapped ? `AOT cache used in ${row.aot_mapped} of ${row.runs} runs` : "AOT cache not used" + (row.aot_reason ? ": " + plain(row.aot_reason) : "")) : null] },
      { title: "Runs", key: "runs", number: count, text: row => count(row.runs) }, { title: "failed", key: "failed_runs", number: count }, ...metrics.map(([key, title, format]) => ({ title, key, number: format, value: row => middle(row, key), text: row => format(middle(row, key)), cell: row => format(middle(row, key)) }))], scenarios, { heading: "Medians" }));
}

/* ---- differences ---- */

function waterfall(difference, key) {
  return fluid(width => drawWaterfall(difference, difference[key], width));
}
function drawWaterfall(difference, causes, width) {
  const rows = causes.filter(row => row.change_ns), from = causes.reduce((sum, row) => sum + row.baseline_ns, 0), to = causes.reduce((sum, row) => sum + row.scenario_ns, 0);
  const shown = rows.slice().sort((a, b) => Math.abs(b.change_ns) - Math.abs(a.change_ns)).slice(0, 14), others = rows.filter(row => !shown.includes(row)).reduce((sum, row) => sum + row.change_ns, 0);
  const steps = [...shown.sort((a, b) => a.change_ns - b.change_ns).map(row => ({ label: wordsOf(row.cause), change: row.change_ns, group: groupOf(row.cause) }))];
  if (others) steps.push({ label: `${rows.length - shown.length} others`, change: others, group: "wait" });
  const rowHeight = 23, left = Math.min(300, width * 0.42), right = 76, height = (steps.length + 2) * rowHeight + 10;
  let at = from, low = Math.min(from, to), high = Math.max(from, to, 1);
  for (const step of steps) { at += step.change; low = Math.min(low, at); high = Math.max(high, at); }
  low = Math.min(0, low);
  const x = value => left + ((value - low) / (high - low)) * (width - left - right);
  const chart = drawn("svg", { class: "chart waterfall", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `From ${duration(from)} to ${duration(to)}: ` + steps.map(step => `${step.label} ${signed(step.change, duration)}`).join(", ") });
  const whole = (label, value, row, colour) => chart.append(drawn("text", { x: left - 10, y: row * rowHeight + 16, "text-anchor": "end" }, chartText(label, left - 10)), drawn("rect", { x: x(0), y: row * rowHeight + 3, width: Math.max(1, x(value) - x(0)), height: rowHeight - 6, fill: colour, rx: 2 }), drawn("text", { x: x(value) + 6, y: row * rowHeight + 16 }, duration(value)));
  whole(difference.baseline || comparison.baseline, from, 0, "var(--cold)");
  at = from;
  steps.forEach((step, i) => {
    const next = at + step.change, start = Math.min(at, next), end = Math.max(at, next), y = (i + 1) * rowHeight;
    const bar = drawn("rect", { x: x(start), y: y + 3, width: Math.max(1, x(end) - x(start)), height: rowHeight - 6, fill: `var(--${step.group})`, rx: 2 });
    bar.addEventListener("mousemove", event => showTip(event, `${step.label}: ${signed(step.change, duration)}`));
    bar.addEventListener("mouseleave", hideTip);
    chart.append(drawn("line", { x1: x(at), x2: x(at), y1: y - 3, y2: y + rowHeight - 3, class: "axis" }), bar, drawn("text", { x: left - 10, y: y + 16, "text-anchor": "end" }, chartText(step.label, left - 10)), drawn("text", { x: x(end) + 6, y: y + 16 }, signed(step.change, duration)));
    at = next;
  });
  whole(difference.scenario, to, steps.length + 1, "var(--warm)");
  return chart;
}
function causesTable(difference, causes, from, to, words) {
  return table("differences", `${words}, ${difference.scenario}`, [{ title: "Cause", key: "cause", wide: true, text: row => wordsOf(row.cause), cell: (row, marked) => [swatch(groupOf(row.cause)), marked(wordsOf(row.cause))] }, { title: from, key: "baseline_ns", number: nanoseconds }, { title: to, key: "scenario_ns", number: nanoseconds }, { title: "Change", key: "change_ns", number: value => signed(value, duration), value: row => Math.abs(row.change_ns), text: row => signed(row.change_ns, duration), cell: row => element("span", { class: row.change_ns > 0 ? "up" : row.change_ns < 0 ? "down" : null }, signed(row.change_ns, duration)) }], causes, { sort: 3, rows: 8 });
}
function oneDifference(difference) {
  const interval = difference.interval95 || [], from = difference.baseline || comparison.baseline;
  return element("div", { class: "difference" }, element("h3", null, name(from), " → ", name(difference.scenario)),
    element("p", { class: "lead" }, element("strong", null, changeWords(difference.first_request_change)), ` (95 % interval ${changeWords(interval[0])} to ${changeWords(interval[1])}, p = ${difference.p_value === null || difference.p_value === undefined ? "–" : difference.p_value < 0.0005 ? "< 0.001" : difference.p_value.toFixed(3)}): `, name(difference.verdict), difference.detectable_change ? `. These runs could have shown a change of ${changeWords(difference.detectable_change).replace(/^[+]/, "")}.` : ""),
    element("div", { class: "panel" }, waterfall(difference, "causes")), element("p"), causesTable(difference, difference.causes, from, difference.scenario, "Causes"),
    listed(difference.startup_causes) && difference.startup_causes.some(row => row.change_ns) && element("details", null, element("summary", null, "The start until ready, in the same way"), element("div", { class: "panel" }, waterfall(difference, "startup_causes")), element("p"), causesTable(difference, difference.startup_causes, from, difference.scenario, "Causes of the start")));
}
function differencesSection() {
  if (!listed(comparison.differences)) return;
  const together = comparison.interactions || [];
  section("differences", "What changed", "How the mean first request of each scenario comes about from the baseline's, cause by cause: the first bar is the baseline, the last one the scenario, and each step between them is one cause.", comparison.differences.map(oneDifference),
    listed(comparison.pairs) && [element("h3", null, "Against their own baselines"), comparison.pairs.map(oneDifference)],
    listed(together) && [element("h3", null, "Together"), element("ul", null, together.map(each => element("li", null, name(each.of[0]), " and ", name(each.of[1]), each.first_request_ns < 0 ? " at once save " : " at once cost ", element("strong", null, duration(Math.abs(each.first_request_ns))), each.first_request_ns < 0 ? " more than the two alone add up to." : " more than the two alone let expect.")))]);
}

/* ---- the caches ---- */

function cachesSection() {
  const asked = scenarios.filter(each => each.aot_requested || each.cache);
  if (!asked.length) return;
  const missing = asked.flatMap(each => ((each.cache && each.cache.missing) || []).map(group => ({ scenario: each.name, ...group }))), of = (part, whole) => (whole ? `${count(part)} of ${count(whole)}` : "–");
  section("caches", "What the caches held", "Whether each cache was used, and how many of the classes came from it, before the first request and in it: in the run that is nearest to the median.", table("caches", "Caches", [{ title: "Scenario", key: "name", wide: true, cell: (row, marked) => [marked(row.name), row.aot_reason ? element("span", { class: "under" }, name(row.aot_reason)) : null] },
    { title: "Used in runs", key: "aot_mapped", number: count, text: row => of(row.aot_mapped, row.runs), cell: row => of(row.aot_mapped, row.runs) },
    { title: "Before the request", key: "startup_shared", value: row => row.cache && row.cache.startup_shared, number: count, text: row => (row.cache ? of(row.cache.startup_shared, row.cache.startup_classes) : "–"), cell: row => (row.cache ? of(row.cache.startup_shared, row.cache.startup_classes) : "–") },
    { title: "In it", key: "request_shared", value: row => row.cache && row.cache.request_shared, number: count, text: row => (row.cache ? of(row.cache.request_shared, row.cache.request_classes) : "–"), cell: row => (row.cache ? of(row.cache.request_shared, row.cache.request_classes) : "–") },
    { title: "Heap objects", key: "heap", value: row => row.cache && row.cache.heap_used, cell: row => (!row.cache || row.cache.heap_used === undefined || row.cache.heap_used === null ? "–" : row.cache.heap_used ? "used" : "not used") }], asked),
    listed(missing) && table("caches", "Classes not from the cache", [{ title: "Why", key: "why", wide: true, cell: (row, marked) => [marked(row.why), listed(row.examples) ? element("details", null, element("summary", null, "for example"), element("ul", { class: "stack" }, row.examples.map(each => element("li", null, name(each))))) : null] }, { title: "Scenario", key: "scenario" }, { title: "Classes", key: "classes", number: count }, { title: "Loading", key: "duration_ns", number: value => (value ? duration(value) : "–") }], missing, { sort: 2, rows: 15, heading: "The request's classes that were not in it" }));
}

/* ---- by cause, memory, counts ---- */

function barRows(parts, format, words, shade) {
  const sums = scenarios.map(scenario => parts(scenario)).map(list => ({ list: list.filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]), whole: list.reduce((sum, [, value]) => sum + Math.max(0, value), 0) })), most = Math.max(...sums.map(each => each.whole), 1);
  const used = [...new Set(sums.flatMap(each => each.list.map(([key]) => key)))];
  return [element("div", { class: "bars" }, scenarios.map((scenario, i) => [element("span", { class: "what" }, shortened(scenario.name, 30)), element("div", { class: "bar", role: "img", "aria-label": sums[i].list.map(([key, value]) => `${words(key)} ${format(value)}`).join(", "), style: { width: Math.max(0.4, (100 * sums[i].whole) / most) + "%" } },
    sums[i].list.map(([key, value]) => element("span", { class: hatched.has(shade(key)) ? "hatch" : null, style: { flex: `${value} 0 0`, "background-color": `var(--${shade(key)})` }, on: { mousemove: event => showTip(event, `${words(key)}: ${format(value)}`), mouseleave: hideTip } }, value / most > 0.07 ? words(key) : ""))), element("span", { class: "sum" }, format(sums[i].whole))])),
    element("ul", { class: "legend" }, used.map(key => element("li", null, swatch(shade(key)), words(key))))];
}
function causesSection() {
  if (!scenarios.some(each => Object.keys(each.causes || {}).length)) return;
  const parts = scenario => { const sums = new Map(); for (const [cause, stat] of Object.entries(scenario.causes || {})) sums.set(groupOf(cause), (sums.get(groupOf(cause)) || 0) + Math.round(stat.mean)); return [...sums]; };
  section("causes", "The first request by cause", "Means over each scenario's runs.", barRows(parts, duration, key => groupWords[key] || key, key => key));
}
function memorySection() {
  if (!scenarios.some(each => Object.keys(each.memory || {}).length)) return;
  const shades = { heap: "exception", metaspace: "class", class_space: "unexplained", code_cache: "code", cds: "jit", aot: "file", library: "kernel", jar: "lock", stack: "safepoint", malloc: "fault", gc: "gc", file: "wait", other: "cpu" };
  section("memory", "Memory", "Resident memory by use, medians.", barRows(scenario => Object.entries(scenario.memory || {}).map(([kind, stat]) => [kind, stat.median]), bytes, key => key.replace("_", " "), key => shades[key] || "wait"));
}
function countsSection() {
  const names = [...new Set(scenarios.flatMap(each => Object.keys(each.counts || {})))];
  if (!names.length) return;
  section("counts", "What was done in the whole run", "Medians over each scenario's runs.", table("counts", "Counts", [{ title: "What", key: "what", wide: true }, ...scenarios.map((scenario, i) => ({ title: scenario.name, key: "v" + i, number: count }))], names.map(what => Object.fromEntries([["what", what.replace(/_/g, " ")], ...scenarios.map((scenario, i) => ["v" + i, scenario.counts && scenario.counts[what] ? scenario.counts[what].median : null])]))));
}

heading("comparison of " + scenarios.map(each => each.name).join(", "), "comparison");
answer();
runsSection();
causesSection();
differencesSection();
cachesSection();
let flameMade;
if (listed(data.flames)) section("flame", "Differential flame graph", "The critical path of the first request, mean of the runs, the baseline against another scenario. A frame is as wide as the larger side: what vanished is there too, hatched. Numbers of lambdas, hidden classes and pool threads are left out of names, so that runs match.",
  flameMade = flameGraph(data.flames, { id: "flame", mode: "change", modeWords: { now: "scenario", before: "baseline", change: "difference" } }));
countsSection();
memorySection();
contents();
document.getElementById("foot").append("Made by warmtrace from the recordings of all runs. ", element("a", { href: "#top" }, "Back to the top"));
