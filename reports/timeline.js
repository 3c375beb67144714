/* The timeline: phases, requests, the critical path, and every thread as a lane, from exec to the end.
 *
 * Lanes have two sets of bins, coarse ones of the whole run and fine ones around the first request; the path's tiles and
 * the spans are exact. Any stretch can be looked at: wheel, drag, or keys. */
function timeline(line, paths, report, id) {
  const alphabet = ":;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{", codes = new Map([...alphabet].map((character, i) => [character, i]));
  const readBins = text => {
    const bins = new Uint8Array(line.bins);
    let at = 0;
    for (const match of (text || "").matchAll(/([^0-9])(\d*)/g)) { const times = match[2] ? +match[2] : 1; bins.fill(codes.get(match[1]), at, at + times); at += times; }
    return bins;
  };
  const lanes = line.lanes.map((lane, index) => ({ ...lane, index, whole: readBins(lane.whole), close: lane.close && readBins(lane.close), spans: [], tiles: [] }));
  const laneOf = new Map(lanes.map(lane => [lane.tid, lane]));
  for (let i = 0; i < line.spans.length; i += 5) lanes[line.spans[i]].spans.push({ kind: data.kinds[line.spans[i + 1]], title: data.texts[line.spans[i + 2]], start: line.spans[i + 3], end: line.spans[i + 3] + line.spans[i + 4] });
  const pauses = [];
  for (let i = 0; i < line.pauses.length; i += 4) pauses.push({ start: line.pauses[i], end: line.pauses[i] + line.pauses[i + 1], isCollection: line.pauses[i + 2], operation: data.texts[line.pauses[i + 3]] });
  const tiles = [];
  for (const path of paths) {
    let at = path.start_ns;
    for (let i = 0; i < path.tiles.length; i += 6) {
      const [length, tid, thread, cause, detail, isEstimated] = path.tiles.slice(i, i + 6);
      const tile = { start: at, end: at + length, tid, thread: data.texts[thread], cause: causeNames[cause], detail: data.texts[detail], isEstimated, request: path.request };
      tiles.push(tile);
      laneOf.get(tid)?.tiles.push(tile);
      at += length;
    }
  }
  tiles.sort((a, b) => a.start - b.start);
  for (const lane of lanes) lane.tiles.sort((a, b) => a.start - b.start);

  const phases = report.phases || [], requests = report.requests || [], milestones = report.milestones || [];
  const phaseWords = { launch: "launch", vm_init: "VM start", startup: "start-up", idle: "idle", first_request: "first request", warm: "warm requests", shutdown: "shutdown" };
  const phaseGroup = { launch: "wait", vm_init: "gc", startup: "code", idle: "wait", first_request: "exception", warm: "kernel", shutdown: "cpu" };
  const labelWidth = () => (picture.width < 620 ? 92 : 172), top = 88, laneHeight = 22, fewLanes = 14;
  let from = 0, to = line.end_ns, showsAll = false, chosen = 0, anchor = null;
  const hasClose = line.close_end_ns > line.close_start_ns;
  const wanted = () => (showsAll ? lanes : lanes.filter((lane, i) => i < fewLanes || lane.tiles.length));

  const picture = canvas(200, draw, { role: "application", "aria-roledescription": "timeline", "aria-label": "Timeline: arrow keys move, plus and minus zoom, 0 shows the whole run, f the first request" });
  const told = element("div", { class: "told" }), range = element("span", { class: "say", id: "timeline-range" });
  const button = (label, action, properties) => element("button", { type: "button", on: { click: action }, ...properties }, label);
  const all = button("", () => { showsAll = !showsAll; settle(); });
  const made = element("div", { class: "timeline" }, element("div", { class: "tools" }, button("Whole run", () => show(0, line.end_ns), { "data-view": "whole" }), hasClose && button("First request", () => show(line.close_start_ns, line.close_end_ns), { "data-view": "first" }),
    button("Zoom in", () => zoomBy(0.5), { "aria-label": "Zoom in" }), button("Zoom out", () => zoomBy(2), { "aria-label": "Zoom out" }), all, element("span", { class: "grow" }), range), element("div", { class: "picture" }, picture.canvas), told,
    element("ul", { class: "legend" }, element("li", null, element("i", { style: { "background-color": "var(--code)" } }), "thread runs"), element("li", null, element("i", { class: "hatch", style: { "background-color": "var(--cpu)" } }), "ready, but has no CPU"),
      element("li", null, element("i", { style: { "background-color": "var(--cold)" } }), "critical path: coloured by cause, lines where it changes thread"), element("li", null, element("i", { style: { "background-color": "var(--gc)" } }), "stripes over all lanes: collections and safepoints"),
      element("li", null, "below a lane: what the thread did, such as loading classes or compiling, in the colours of the causes")));

  const x = time => labelWidth() + ((time - from) / (to - from)) * (picture.width - labelWidth());
  const timeAt = px => from + ((px - labelWidth()) / (picture.width - labelWidth())) * (to - from);
  const shortest = 200;

  function show(start, end) {
    let width = Math.max(shortest, Math.min(line.end_ns, end - start));
    from = Math.max(0, Math.min(start, line.end_ns - width));
    to = from + width;
    settle();
  }
  function zoomBy(factor, around) {
    const centre = around ?? (from + to) / 2;
    show(centre - (centre - from) * factor, centre + (to - centre) * factor);
    say(`from ${duration(from)} to ${duration(to)}`);
  }
  function settle() {
    all.hidden = lanes.length <= wanted().length && !showsAll;
    all.textContent = showsAll ? "Fewer threads" : `All ${lanes.length} threads`;
    all.setAttribute("aria-pressed", String(showsAll));
    picture.height = top + wanted().length * laneHeight + 6;
    picture.canvas.style.height = picture.height + "px";
    range.textContent = `${axisLabel(from, (to - from) / 40)} to ${axisLabel(to, (to - from) / 40)} after exec, ${duration(to - from)} wide`;
    picture.redraw();
  }

  /* ---- drawing ---- */

  function box(context, start, end, y, height, colour, least = 1) {
    const left = Math.max(labelWidth(), x(start)), right = Math.min(picture.width, x(end));
    if (right < labelWidth() || left > picture.width || right < left) return null;
    context.fillStyle = colour;
    const width = Math.max(right - left, least);
    context.fillRect(left, y, width, height);
    return { left, width };
  }
  function boxText(context, place, text, y, colour) {
    if (!place || place.width < 16) return;
    context.fillStyle = colour;
    context.fillText(fitted(context, text, place.width - 6), place.left + 3, y);
  }
  function drawAxis(context) {
    const width = to - from, steps = [1, 2, 5], goal = width / Math.max(2, (picture.width - labelWidth()) / 110);
    let step = 1;
    for (let power = 1; step < goal; power *= 10) for (const each of steps) if (step < goal) step = each * power;
    context.fillStyle = colours.soft;
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const px = x(at);
      context.fillStyle = colours.line; context.fillRect(px, 14, 1, picture.height - 14);
      context.fillStyle = colours.soft;
      const label = axisLabel(at, step);
      if (px + context.measureText(label).width < picture.width) context.fillText(label, px + 3, 8);
    }
  }
  function axisLabel(at, step) {
    const [size, unit] = units.find(([size]) => to >= size) || units[3], digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(size / step) - 1e-9)));
    return (at / size).toFixed(digits) + " " + unit;
  }
  function drawHead(context) {
    const label = (text, y) => { context.fillStyle = colours.soft; context.fillText(fitted(context, text, labelWidth() - 10), 6, y); };
    label("phases", 26); label("requests", 46); label("critical path", 70);
    for (const phase of phases) boxText(context, box(context, phase.start_ns, phase.end_ns, 17, 18, colours[phaseGroup[phase.name]] + "b0", 0.5), phaseWords[phase.name] || phase.name, 26, "#fff");
    for (const milestone of milestones) {
      const px = x(milestone.t_ns);
      if (px < labelWidth() - 1 || px > picture.width) continue;
      context.fillStyle = colours.text; context.fillRect(px - 0.5, 16, 1, 22);
    }
    for (const request of requests) boxText(context, box(context, request.start_ns, request.start_ns + request.latency_ns, 38, 16, request.cold ? colours.cold : colours.warm, 1), `${request.route} ${duration(request.latency_ns)}`, 46, "#fff");
    drawTiles(context, tiles, 58, 24, true);
  }
  /* Tiles narrower than a pixel share it: it has the colour of the longest. */
  function drawTiles(context, list, y, height, hasText) {
    let low = 0, high = list.length;
    while (low < high) { const middle = (low + high) >> 1; if (list[middle].end <= from) low = middle + 1; else high = middle; }
    let pixel = -1, best = 0, part = {};
    const flush = () => { if (pixel >= 0) { context.fillStyle = colours[best]; context.fillRect(pixel, y, 1, height); } pixel = -1; part = {}; best = 0; };
    for (let i = low; i < list.length && list[i].start < to; i++) {
      const tile = list[i], left = Math.max(labelWidth(), x(tile.start)), right = Math.min(picture.width, x(tile.end)), group = groupOf(tile.cause);
      if (right - left >= 1.5) {
        flush();
        const place = box(context, tile.start, tile.end, y, height, colours[group]);
        if (place && hatched.has(group) && place.width > 4) stripes(context, place.left, y, place.width, height);
        if (hasText && place && place.width > 40) { context.shadowColor = "rgba(0,0,0,.75)"; context.shadowBlur = 2; boxText(context, place, (tile.detail && !tile.detail.startsWith("displaced") ? plain(tile.detail).split("/").pop() : causeWords[tile.cause]), y + height / 2, "#fff"); context.shadowBlur = 0; }
      } else {
        const at = Math.floor(left);
        if (at !== pixel) { flush(); pixel = at; }
        part[group] = (part[group] || 0) + right - left;
        if (!best || part[group] > part[best]) best = group;
      }
    }
    flush();
  }
  function stripes(context, left, y, width, height) {
    context.save();
    context.beginPath(); context.rect(left, y, width, height); context.clip();
    context.strokeStyle = "rgba(255,255,255,.3)"; context.lineWidth = 2;
    for (let at = left - height - (left % 8); at < left + width; at += 8) { context.beginPath(); context.moveTo(at, y + height); context.lineTo(at + height, y); context.stroke(); }
    context.restore();
  }
  function drawBins(context, lane, y) {
    const isClose = lane.close && from >= line.close_start_ns - 1 && to <= line.close_end_ns + 1 && hasClose;
    const bins = isClose ? lane.close : lane.whole, start = isClose ? line.close_start_ns : 0, end = isClose ? line.close_end_ns : line.end_ns, each = (end - start) / line.bins;
    const first = Math.max(0, Math.floor((from - start) / each)), last = Math.min(line.bins - 1, Math.ceil((to - start) / each)), height = 11;
    for (let bin = first; bin <= last; bin++) {
      if (!bins[bin]) continue;
      const running = bins[bin] >> 3, runnable = bins[bin] & 7, left = Math.max(labelWidth(), Math.floor(x(start + bin * each))), width = Math.min(picture.width, Math.max(Math.floor(x(start + (bin + 1) * each)), left + 1)) - left;
      if (width <= 0) continue;
      context.fillStyle = colours.code; context.fillRect(left, y + height - (running / 7) * height, width, (running / 7) * height);
      if (runnable) { context.fillStyle = colours.cpu; context.globalAlpha = 0.75; context.fillRect(left, y + height - Math.min(1, (running + runnable) / 7) * height, width, Math.min(1 - running / 7, runnable / 7) * height); context.globalAlpha = 1; }
    }
  }
  function drawLane(context, lane, y) {
    context.fillStyle = lane.index === chosen ? colours.text : colours.soft;
    context.fillText(fitted(context, plain(lane.name) || "thread " + lane.tid, labelWidth() - 12), 6, y + 10);
    const life = box(context, lane.created_ns, lane.ended_ns < 0 ? line.end_ns : lane.ended_ns, y + 20, 1, colours.line);
    drawBins(context, lane, y + 2);
    for (const span of lane.spans) if (span.end > from && span.start < to) box(context, span.start, span.end, y + 14, 5, colours[kindGroup[span.kind]], 0.7);
    drawTiles(context, lane.tiles, y + 2, 12, false);
    return life;
  }
  function drawHandOvers(context, places) {
    context.strokeStyle = colours.cold; context.lineWidth = 1.2; context.globalAlpha = 0.85;
    let before = null, last = -10;
    for (const tile of tiles) {
      if (before && before.tid !== tile.tid && before.end === tile.start && tile.start >= from && tile.start <= to) {
        const a = places.get(before.tid), b = places.get(tile.tid), px = x(tile.start);
        if (a !== undefined && b !== undefined && px - last > 1) { context.beginPath(); context.moveTo(px, a + 8); context.lineTo(px, b + 8); context.stroke(); last = px; }
      }
      before = tile;
    }
    context.globalAlpha = 1;
  }
  function draw(context) {
    context.font = "12px system-ui, sans-serif"; context.textBaseline = "middle";
    drawAxis(context);
    const shown = wanted(), places = new Map();
    for (const pause of pauses) if (pause.end > from && pause.start < to) { context.globalAlpha = 0.28; box(context, pause.start, pause.end, top - 4, picture.height - top, pause.isCollection ? colours.gc : colours.safepoint, 1); context.globalAlpha = 1; }
    shown.forEach((lane, i) => { places.set(lane.tid, top + i * laneHeight); drawLane(context, lane, top + i * laneHeight); });
    drawHandOvers(context, places);
    drawHead(context);
    context.fillStyle = colours.line; context.fillRect(labelWidth() - 1, 14, 1, picture.height);
  }

  /* ---- what is at a place ---- */

  function at(list, time) {
    let low = 0, high = list.length;
    while (low < high) { const middle = (low + high) >> 1; if (list[middle].end <= time) low = middle + 1; else high = middle; }
    return list[low] && list[low].start <= time ? list[low] : null;
  }
  const tileWords = tile => `critical path, ${plain(tile.thread) || "thread " + tile.tid}: ${causeWords[tile.cause]}${tile.isEstimated ? " (estimated)" : ""}, ${duration(tile.end - tile.start)}${tile.detail ? "\n" + shortened(tile.detail, 300) : ""}`;
  function words(px, py) {
    if (px < labelWidth()) { const lane = wanted()[Math.floor((py - top) / laneHeight)]; return lane && py > top ? `${plain(lane.name)} (${lane.role}, thread ${lane.tid} of process ${lane.pid})\nCPU time ${duration(lane.cpu_ns)}` : ""; }
    const time = timeAt(px), near = (to - from) / (picture.width - labelWidth()) * 2, head = duration(time) + " after exec";
    if (py < 37) {
      const phase = phases.find(phase => time >= phase.start_ns && time < phase.end_ns), milestone = milestones.find(each => Math.abs(each.t_ns - time) < near);
      return [head, milestone && `milestone ${milestone.name} ${plain(milestone.detail || "")}`, phase && `phase ${phaseWords[phase.name]}, ${duration(phase.end_ns - phase.start_ns)}, CPU ${duration(phase.cpu_ns)}`].filter(Boolean).join("\n");
    }
    if (py < 57) { const request = requests.find(each => time >= each.start_ns - near && time <= each.start_ns + each.latency_ns + near); return request ? `${head}\n${request.cold ? "cold" : "warm"} ${plain(request.route)}, ${duration(request.latency_ns)}, status ${request.status ?? "–"}` : head; }
    if (py < top - 4) { const tile = at(tiles, time); return tile ? head + "\n" + tileWords(tile) : head; }
    const lane = wanted()[Math.floor((py - top) / laneHeight)];
    if (!lane) return head;
    const span = lane.spans.find(each => time >= each.start - near / 2 && time <= each.end + near / 2), tile = at(lane.tiles, time), pause = pauses.find(each => time >= each.start - near / 2 && time <= each.end + near / 2);
    return [`${head}, ${plain(lane.name)}`, tile && tileWords(tile), span && `${shortened(span.title, 300)}, ${duration(span.end - span.start)}`, pause && `${pause.isCollection ? "collection" : "safepoint"} ${plain(pause.operation)}, ${duration(pause.end - pause.start)}`].filter(Boolean).join("\n");
  }
  picture.canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.shiftKey && document.activeElement !== picture.canvas) return; /* the page scrolls until the picture is chosen */
    event.preventDefault();
    const area = picture.canvas.getBoundingClientRect();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) { const step = ((event.deltaX || event.deltaY) / picture.width) * (to - from); show(from + step, to + step); }
    else zoomBy(Math.exp(event.deltaY * 0.002), timeAt(event.clientX - area.left));
  }, { passive: false });
  picture.canvas.addEventListener("pointerdown", event => { anchor = { px: event.clientX, from, to }; picture.canvas.setPointerCapture(event.pointerId); picture.canvas.focus({ preventScroll: true }); });
  picture.canvas.addEventListener("pointermove", event => {
    const area = picture.canvas.getBoundingClientRect();
    if (anchor) { const step = ((event.clientX - anchor.px) / (picture.width - labelWidth())) * (anchor.to - anchor.from); hideTip(); if (Math.abs(event.clientX - anchor.px) > 2) show(anchor.from - step, anchor.to - step); return; }
    const text = words(event.clientX - area.left, event.clientY - area.top);
    if (text) showTip(event, text); else hideTip();
  });
  picture.canvas.addEventListener("pointerup", event => {
    const area = picture.canvas.getBoundingClientRect();
    if (anchor && Math.abs(event.clientX - anchor.px) <= 2) told.textContent = words(event.clientX - area.left, event.clientY - area.top).split("\n").join(" · ");
    anchor = null;
  });
  picture.canvas.addEventListener("pointercancel", () => (anchor = null));
  picture.canvas.addEventListener("pointerleave", hideTip);
  picture.canvas.addEventListener("dblclick", event => zoomBy(0.35, timeAt(event.clientX - picture.canvas.getBoundingClientRect().left)));
  picture.canvas.addEventListener("keydown", event => {
    const step = (to - from) / 8, shown = wanted();
    const act = { ArrowLeft: () => show(from - step, to - step), ArrowRight: () => show(from + step, to + step), "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2), 0: () => show(0, line.end_ns), Home: () => show(0, line.end_ns),
      f: () => hasClose && show(line.close_start_ns, line.close_end_ns),
      ArrowUp: () => choose(shown, -1), ArrowDown: () => choose(shown, 1) }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  });
  function choose(shown, step) {
    const place = Math.max(0, Math.min(shown.length - 1, shown.findIndex(lane => lane.index === chosen) + step)), lane = shown[place];
    if (!lane) return;
    chosen = lane.index;
    const text = words(0, top + place * laneHeight + 2);
    told.textContent = text.split("\n").join(" · "); say(told.textContent);
    picture.redraw();
  }
  made.timeline = { range: () => [from, to], show, lanes: () => wanted().length };
  settle();
  return made;
}
keys.push(["← →", "on the timeline: move"], ["+ −", "on the timeline: zoom; with the mouse the wheel (after a click on it) and drag"], ["0, f", "on the timeline: the whole run, the first request"]);
