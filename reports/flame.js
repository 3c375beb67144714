/* Flame graphs: frames from the root downwards, a frame as wide as what happened in it.
 *
 * A flame of two sides ("before" and "now": a warm request and the cold one, a baseline and a scenario) is shown as
 * either of them or as their difference. There a frame is as wide as the larger side, so that what vanished is as plain
 * to see as what is new, and what is nowhere else counted twice. */
function readFlame(from) {
  const stride = from.difference ? 5 : 4, frames = [], open = [];
  for (let i = 0; i < from.nodes.length; i += stride) {
    const depth = from.nodes[i], kind = data.kinds[from.nodes[i + 2]];
    const frame = { depth, name: data.texts[from.nodes[i + 1]], kind, own: from.nodes[i + 3], ownBefore: from.difference ? from.nodes[i + 4] : 0, children: [], parent: depth ? open[depth - 1] : null };
    open[depth] = frame;
    if (frame.parent) frame.parent.children.push(frame);
    frames.push(frame);
  }
  for (let i = frames.length - 1; i >= 0; i--) {
    const frame = frames[i];
    frame.total = frame.own; frame.before = frame.ownBefore; frame.larger = Math.max(frame.own, frame.ownBefore);
    for (const child of frame.children) { frame.total += child.total; frame.before += child.before; frame.larger += child.larger; }
  }
  return { ...from, frames, root: frames[0], deepest: Math.max(...frames.map(frame => frame.depth)) };
}

const modes = {
  now: { size: frame => frame.total }, before: { size: frame => frame.before }, change: { size: frame => frame.larger },
};

/* flames: as in the data. options: {id, modeWords: {now, before, change}, mode} */
function flameGraph(flames, options) {
  const rowHeight = 19, list = flames.map(readFlame);
  let flame = list[0], mode = options.mode || (flame.difference ? "change" : "now"), root = flame.root, focus = flame.root, query = "", boxes = [];
  const format = value => (flame.unit === "nanoseconds" ? duration(value) : `${count(value)} ${value === 1 ? flame.unit.replace(/s$/, "") : flame.unit}`);
  const size = frame => modes[mode].size(frame);
  const matches = frame => query && frame.name.toLowerCase().includes(query);

  const picture = canvas(200, draw, { role: "application", "aria-roledescription": "flame graph", "aria-label": "Flame graph: arrow keys move, Enter zooms in, Escape zooms out" });
  const view = element("div", { class: "picture tall" }, picture.canvas);
  const trail = element("div", { class: "path", role: "navigation", "aria-label": "Zoomed frames" });
  const told = element("div", { class: "told" });
  const total = element("span", { class: "say" });
  const modeButtons = {};
  for (const key of Object.keys(modes)) modeButtons[key] = element("button", { type: "button", "data-mode": key, on: { click: () => { mode = key; settle(); } } });
  const choice = list.length > 1 && element("select", { "aria-label": "What the flame graph shows", on: { change: event => { flame = list[event.target.selectedIndex]; root = focus = flame.root; mode = flame.difference ? mode : "now"; settle(); } } },
    list.map(each => element("option", null, each.title)));
  const resetButton = element("button", { type: "button", on: { click: () => zoom(flame.root) } }, "Whole graph");

  function frameWords(frame) {
    const whole = size(flame.root) || 1, lines = [shortened(frame.name, 600)];
    if (mode === "change") {
      lines.push(`${(options.modeWords?.now || "now")}: ${format(frame.total)}, ${(options.modeWords?.before || "before")}: ${format(frame.before)}`);
      lines.push(frame.before === 0 && frame.total > 0 ? `new: ${signed(frame.total, format)}` : frame.total === 0 && frame.before > 0 ? `vanished: ${signed(-frame.before, format)}` : `change: ${signed(frame.total - frame.before, format)}`);
    } else {
      const own = mode === "before" ? frame.ownBefore : frame.own;
      lines.push(`${format(size(frame))} (${percent(size(frame) / whole)}), of it ${format(own)} in the frame itself`);
    }
    return lines.join("\n");
  }
  function colourOf(frame) {
    if (mode !== "change") return colours[kindGroup[frame.kind]] || colours.code;
    const change = frame.total - frame.before, part = Math.min(1, Math.abs(change) / (frame.larger || 1));
    if (!change) return colours.wait;
    return change > 0 ? mix(colours.wait, colours.cold, 0.25 + 0.75 * part) : mix(colours.wait, colours.warm, 0.25 + 0.75 * part);
  }
  function draw(context, state) {
    boxes = [];
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const whole = size(root) || 1, scale = state.width / whole;
    const place = (frame, x, depth) => {
      const width = size(frame) * scale;
      if (width < 0.4) return;
      boxes.push({ frame, x, y: depth * rowHeight, width });
      const at = x;
      let next = at;
      for (const child of ordered(frame)) { place(child, next, depth + 1); next += size(child) * scale; }
    };
    const above = [];
    for (let frame = root.parent; frame; frame = frame.parent) above.unshift(frame);
    above.forEach((frame, depth) => boxes.push({ frame, x: 0, y: depth * rowHeight, width: state.width, isAbove: true }));
    place(root, 0, above.length);
    for (const box of boxes) {
      const { frame, x, y, width, isAbove } = box, hit = matches(frame);
      context.globalAlpha = isAbove ? 0.45 : query && !hit ? 0.35 : 1;
      context.fillStyle = hit ? colours.mark : frame.kind === "root" ? colours.line : colourOf(frame);
      context.fillRect(x, y, Math.max(width - (width > 2 ? 0.6 : 0), 0.5), rowHeight - 1);
      if (mode === "change" && width > 3 && (frame.total === 0 || frame.before === 0) && frame.larger) hatch(context, x, y, width - 0.6, rowHeight - 1, frame.total === 0);
      if (width > 22) {
        context.globalAlpha = isAbove ? 0.7 : 1;
        const text = fitted(context, shortName(frame), width - 6);
        context.fillStyle = frame.kind === "root" || hit ? colours.text : "#fff";
        if (frame.kind !== "root" && !hit) { context.shadowColor = "rgba(0,0,0,.75)"; context.shadowBlur = 2.5; }
        context.fillText(text, x + 3, y + rowHeight / 2);
        context.shadowBlur = 0;
      }
      context.globalAlpha = 1;
      if (frame === focus && document.activeElement === picture.canvas) { context.strokeStyle = colours.text; context.lineWidth = 2; context.strokeRect(x + 1, y + 1, Math.max(width - 2, 1), rowHeight - 3); }
    }
  }
  function hatch(context, x, y, width, height, isVanished) {
    context.save();
    context.beginPath(); context.rect(x, y, width, height); context.clip();
    context.strokeStyle = "rgba(255,255,255,.55)"; context.lineWidth = 1.4;
    for (let at = x - height - (x % 7); at < x + width; at += 7) { context.beginPath(); context.moveTo(isVanished ? at + height : at, y); context.lineTo(isVanished ? at : at + height, y + height); context.stroke(); }
    context.restore();
  }
  function shortName(frame) {
    const text = plain(frame.name);
    if (frame.kind !== "java") return text;
    const parts = text.split(".");
    return parts.length > 2 ? parts.slice(-2).join(".") : text;
  }
  function ordered(frame) {
    return frame.children.filter(child => size(child) > 0).sort((a, b) => size(b) - size(a));
  }
  let settle = () => {
    for (const [key, button] of Object.entries(modeButtons)) {
      button.hidden = !flame.difference;
      button.textContent = options.modeWords?.[key] || key;
      button.setAttribute("aria-pressed", String(mode === key));
    }
    const at = flame.frames.indexOf(root);
    if (at < 0) root = focus = flame.root;
    picture.height = (flame.deepest + 1) * rowHeight;
    picture.canvas.style.height = picture.height + "px";
    total.textContent = flame.difference && mode === "change" ? `${options.modeWords?.before || "before"} ${format(flame.before)} → ${options.modeWords?.now || "now"} ${format(flame.total)}` : `${format(size(flame.root))} in all`;
    trail.replaceChildren();
    for (let frame = root; frame; frame = frame.parent) trail.prepend(element("button", { type: "button", on: { click: () => zoom(frame) } }, shortened(frame.name, 60)));
    if (root === flame.root) trail.replaceChildren();
    resetButton.disabled = root === flame.root;
    tell();
    picture.redraw();
  };
  function tell() { told.textContent = frameWords(focus).split("\n").join(" · "); }
  function zoom(frame) {
    root = focus = frame;
    settle();
    say(frameWords(frame));
  }
  function boxAt(event) {
    const area = picture.canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
    return boxes.findLast(box => y >= box.y && y < box.y + rowHeight && x >= box.x && x <= box.x + box.width);
  }
  picture.canvas.addEventListener("mousemove", event => {
    const box = boxAt(event);
    picture.canvas.style.cursor = box ? "pointer" : "default";
    if (box) showTip(event, frameWords(box.frame)); else hideTip();
  });
  picture.canvas.addEventListener("mouseleave", hideTip);
  picture.canvas.addEventListener("click", event => {
    const box = boxAt(event);
    if (box) zoom(box.frame);
    picture.canvas.focus({ preventScroll: true });
  });
  picture.canvas.addEventListener("focus", picture.redraw);
  picture.canvas.addEventListener("blur", picture.redraw);
  picture.canvas.addEventListener("keydown", event => {
    const siblings = focus.parent ? ordered(focus.parent) : [focus], at = siblings.indexOf(focus);
    const go = { ArrowDown: () => ordered(focus)[0], ArrowUp: () => focus.parent, ArrowLeft: () => siblings[at - 1], ArrowRight: () => siblings[at + 1] }[event.key];
    if (go) {
      focus = go() || focus;
      tell(); say(frameWords(focus)); picture.redraw();
    } else if (event.key === "Enter") zoom(focus);
    else if (event.key === "Escape") zoom(root.parent || root);
    else if (event.key === "Home") zoom(flame.root);
    else return;
    event.preventDefault();
  });
  function legend() {
    const used = [...new Set(flame.frames.map(frame => kindGroup[frame.kind]))];
    return mode === "change" ? element("ul", { class: "legend" }, [["cold", "grew"], ["warm", "shrank"], ["wait", "the same"]].map(([colour, words]) => element("li", null, element("i", { style: { "background-color": `var(--${colour})` } }), words)),
      element("li", null, element("i", { class: "hatch", style: { "background-color": "var(--cold)" } }), "hatched: only on one side")) :
      element("ul", { class: "legend" }, used.map(group => element("li", null, swatch(group), { code: "Java code", kernel: "kernel and native", cpu: "thread, no CPU", gc: "JVM" }[group] || groupWords[group])));
  }
  const legends = element("div");
  const settleAll = settle;
  settle = () => { settleAll(); legends.replaceChildren(legend()); };
  searched.push({ id: options.id, find: text => {
    query = text;
    picture.redraw();
    if (!query) { settle(); return 0; }
    let hits = 0, inside = 0;
    const walk = (frame, isInside) => { const hit = matches(frame); if (hit) hits++; if (hit && !isInside) inside += size(frame); for (const child of frame.children) walk(child, isInside || hit); };
    walk(flame.root, false);
    told.textContent = `${count(hits)} frames match, ${format(inside)} (${percent(inside / (size(flame.root) || 1))}) in them`;
    return hits;
  } });
  const made = element("div", { class: "flame" }, element("div", { class: "tools" }, choice, element("span", { role: "group", "aria-label": "Side", class: "tools" }, Object.values(modeButtons)), resetButton, element("span", { class: "grow" }), total,
    copyButton("Copy folded", "flame graph", () => folded())), trail, view, told, legends);
  function folded() {
    const lines = [];
    const walk = (frame, names) => {
      const path = frame.parent ? [...names, plain(frame.name).replace(/;/g, ":")] : names, own = mode === "before" ? frame.ownBefore : frame.own;
      if (mode === "change" ? own || frame.ownBefore : own) lines.push(path.join(";") + " " + (mode === "change" ? `${frame.ownBefore} ${own}` : own));
      for (const child of frame.children) walk(child, path);
    };
    walk(flame.root, []);
    return lines.join("\n");
  }
  made.flame = { boxes: () => boxes, root: () => root, mode: () => mode };
  settle();
  return made;
}

function mix(from, to, part) {
  const read = text => { const value = parseInt(text.slice(1), 16); return [value >> 16, (value >> 8) & 255, value & 255]; };
  const a = read(from), b = read(to);
  return "rgb(" + a.map((value, i) => Math.round(value + (b[i] - value) * part)).join(",") + ")";
}
keys.push(["↑ ↓ ← →", "in a flame graph: outer, inner, neighbouring frame"], ["Enter, Esc", "in a flame graph: zoom in, zoom out"]);
