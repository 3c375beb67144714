/* What every page has: the data, numbers and names as people read them, elements, the theme, the keyboard.
 *
 * Names come from the traced program and may hold anything. They become text nodes, each in an element of its own that
 * isolates its writing direction, with what cannot be seen or turns text around spelt out; never markup. */
const data = JSON.parse(document.getElementById("data").textContent);

/* Texts are named by number. They come in order: the number, how much of the one before it begins with, the rest. */
data.texts = (packed => {
  const texts = [];
  for (let i = 0, text = ""; i < packed.length; i += 3) texts[packed[i]] = text = text.slice(0, packed[i + 1]) + packed[i + 2];
  return texts;
})(data.texts);

/* ---- elements ---- */

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (key === "style") for (const [name, to] of Object.entries(value)) made.style.setProperty(name, to);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  add(made, children);
  return made;
}

function add(to, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    to.append(child instanceof Node ? child : String(child));
  }
  return to;
}

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== undefined) made.setAttribute(key, value);
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child instanceof Node ? child : String(child));
  return made;
}

/* Control characters, marks of direction, what has no width: shown, not obeyed. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const spelt = character => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
/* In a sentence a number stays with its unit. */
const unbroken = text => String(text).replace(/(\d) (%|ns|µs|ms|s|min|[KMGT]?i?B)(?![A-Za-z])/g, "$1\u00a0$2");
function plain(text) {
  return String(text).replace(unseen, spelt);
}

function shortened(text, most) {
  const characters = Array.from(plain(text));
  if (characters.length <= most) return characters.join("");
  const head = Math.ceil(most / 3);
  return characters.slice(0, head).join("") + "…" + characters.slice(characters.length - (most - head - 1)).join("");
}

/* A long name may break where a person would break it. */
function broken(text) {
  return text.length < 40 ? [text] : text.split(/(?<=[/$(])|(?<=\.)(?=[A-Z]|[a-z]{5})/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}
const namesShown = 400;
function name(text) {
  const shown = shortened(text, namesShown), made = element("bdi", { class: "name" });
  let at = 0;
  for (const match of shown.matchAll(/\\u[0-9a-f]{4}/g)) {
    add(made, [broken(shown.slice(at, match.index)), element("span", { class: "odd" }, match[0])]);
    at = match.index + match[0].length;
  }
  add(made, [broken(shown.slice(at))]);
  if (shown.length !== plain(text).length) made.title = plain(text).slice(0, 4000);
  return made;
}

/* ---- numbers ---- */

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
function three(value) {
  const size = Math.abs(value);
  return size >= 100 || Number.isInteger(value) ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
function duration(ns) {
  if (ns === null || ns === undefined) return "–";
  if (ns === 0) return "0";
  const [size, unit] = units.find(([size]) => Math.abs(ns) >= size * 0.9995) || units[3];
  return three(ns / size) + " " + unit;
}
function bytes(size) {
  if (size === null || size === undefined) return "–";
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (Math.abs(size) >= 1023.5 && at < names.length - 1) { size /= 1024; at++; }
  return three(size) + " " + names[at];
}
const groups = new Intl.NumberFormat("en");
const count = value => (value === null || value === undefined ? "–" : groups.format(value));
const percent = part => (Math.abs(part) >= 0.1 ? (part * 100).toFixed(0) : (part * 100).toFixed(1)) + " %";
const signed = (value, format) => (value > 0 ? "+" : value < 0 ? "−" : "±") + format(Math.abs(value));

/* ---- causes ---- */

const causeNames = [], causeWords = {};
for (let i = 0; i < data.causes.length; i += 2) { causeNames.push(data.causes[i]); causeWords[data.causes[i]] = data.causes[i + 1]; }
const groupWords = { code: "running code", class: "class loading", exception: "exceptions", fault: "page faults", file: "files", jit: "JIT", gc: "GC", safepoint: "safepoints",
  lock: "locks", wait: "waiting", cpu: "no CPU", kernel: "kernel", unexplained: "not explained" };
const groupOf = cause => cause.split(".")[0];
function wordsOf(cause) {
  if (causeWords[cause]) return causeWords[cause];
  return cause;
}
/* Two groups of like brightness lie apart; those that mean "nothing was done" are hatched as well. */
const hatched = new Set(["wait", "cpu", "unexplained"]);
let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  colours = {};
  for (const key of [...Object.keys(groupWords), "back", "panel", "line", "text", "soft", "accent", "cold", "warm", "mark"]) colours[key] = style.getPropertyValue("--" + key).trim();
}
function swatch(group) {
  return element("i", { class: "swatch" + (hatched.has(group) ? " hatch" : ""), style: { "background-color": `var(--${group})` }, "aria-hidden": "true" });
}
/* Kinds of frames and spans, by the group of causes whose colour they have. */
const kindGroup = { root: "wait", request: "wait", thread: "cpu", java: "code", native: "kernel", code: "code", class: "class", exception: "exception", fault: "fault", file: "file", wait: "wait",
  lock: "lock", vm: "gc", cpu: "cpu", kernel: "kernel", unexplained: "unexplained" };

/* ---- theme, tips, words for screen readers ---- */

const redraws = [];
function redrawAll() { readColours(); for (const redraw of redraws) redraw(); }
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  redrawAll();
}
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event => setTheme(event.matches ? "dark" : "light"));
addEventListener("beforeprint", () => { document.documentElement.dataset.before = document.documentElement.dataset.theme; setTheme("light"); });
addEventListener("afterprint", () => setTheme(document.documentElement.dataset.before || "light"));

const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = (event.clientY + 20 + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 12) : event.clientY + 18) + "px";
}
function hideTip() { tip.hidden = true; }
const said = document.getElementById("said");
function say(text) { said.textContent = text; }

async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    /* Pages opened from a file may not use the clipboard's own interface. */
    const field = element("textarea", { class: "unseen", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  say(what + " copied");
}
function copyButton(label, what, text) {
  const button = element("button", { type: "button", on: { click: async () => {
    await copyText(text(), what);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1200);
  } } }, label);
  return button;
}

/* ---- pages ---- */

const sections = [];
function section(id, title, lead, ...content) {
  const made = element("section", { id, "aria-labelledby": id + "-title" }, element("h2", { id: id + "-title" }, title), lead && element("p", { class: "lead" }, lead), content);
  document.getElementById("main").append(made);
  sections.push({ id, title, made });
  return made;
}

const searched = []; /* (text) => number of hits, or undefined; with the section it is in */
function heading(command, title) {
  const search = element("input", { type: "search", class: "search", id: "search", placeholder: "Search (press /)", "aria-label": "Search all tables and flame graphs", autocomplete: "off", spellcheck: "false" });
  let timer;
  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => searchAll(search.value), 120); });
  search.addEventListener("keydown", event => { if (event.key === "Escape") { search.value = ""; searchAll(""); search.blur(); } });
  const theme = element("button", { type: "button", id: "theme", on: { click: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark") } }, "Light / dark");
  const help = element("button", { type: "button", id: "help-button", "aria-haspopup": "dialog", on: { click: () => showHelp() } }, "Keys (?)");
  document.getElementById("top").append(element("span", { class: "brand" }, "warm", element("b", null, "trace")), element("span", { class: "command", title: plain(command).slice(0, 2000) }, name(command)), search, theme, help);
  if (title) document.title = shortened(title, 120) + " · warmtrace";
}
function searchAll(text) {
  let total = 0;
  for (const entry of sections) entry.hits = 0;
  for (const { id, find } of searched) {
    const hits = find(text.trim().toLowerCase()) || 0;
    total += hits;
    const entry = sections.find(entry => entry.id === id);
    if (entry) entry.hits += hits;
  }
  for (const entry of sections) if (entry.link) {
    entry.link.querySelector(".hits")?.remove();
    if (text.trim() && entry.hits) entry.link.append(element("span", { class: "hits" }, count(entry.hits)));
  }
  if (text.trim()) say(total + " matches");
}
function contents() {
  const list = element("ol");
  for (const entry of sections) {
    entry.link = element("a", { href: "#" + entry.id }, entry.title);
    list.append(element("li", null, entry.link));
  }
  document.getElementById("contents").append(list);
  const seen = new IntersectionObserver(() => {
    let current = sections[0];
    for (const entry of sections) if (entry.made.getBoundingClientRect().top < innerHeight / 3) current = entry;
    for (const entry of sections) if (entry === current) entry.link.setAttribute("aria-current", "true"); else entry.link.removeAttribute("aria-current");
  }, { rootMargin: "-10% 0px -60% 0px", threshold: [0, 0.01, 0.5, 1] });
  for (const entry of sections) seen.observe(entry.made);
}

const keys = [["/", "search"], ["n, p", "next, previous section"], ["t", "light or dark"], ["?", "this list"]];
let helpBox;
function showHelp() {
  helpBox = helpBox || element("dialog", { "aria-label": "Keys" });
  helpBox.replaceChildren(element("h2", null, "Keys"), element("dl", null, keys.map(([key, words]) => [element("dt", null, element("kbd", null, key)), element("dd", null, words)])),
    element("form", { method: "dialog" }, element("button", null, "Close")));
  if (!helpBox.isConnected) document.body.append(helpBox);
  if (!helpBox.open) helpBox.showModal();
}
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === "/") { document.getElementById("search")?.focus(); event.preventDefault(); }
  else if (event.key === "?") showHelp();
  else if (event.key === "t") document.getElementById("theme")?.click();
  else if (event.key === "n" || event.key === "p") {
    const at = sections.findLastIndex(entry => entry.made.getBoundingClientRect().top < 90);
    const to = sections[Math.max(0, Math.min(sections.length - 1, at + (event.key === "n" ? 1 : -1)))];
    to?.made.scrollIntoView();
    if (to) say(to.title);
  }
});

/* A canvas that is as sharp as the screen and follows its box. */
function canvas(height, draw, properties) {
  const made = element("canvas", Object.assign({ tabindex: "0" }, properties));
  const state = { canvas: made, width: 0, height };
  let wanted = false;
  state.redraw = () => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      const ratio = devicePixelRatio || 1, width = made.clientWidth;
      if (!width) return;
      state.width = width;
      made.style.height = state.height + "px";
      if (made.width !== Math.round(width * ratio) || made.height !== Math.round(state.height * ratio)) {
        made.width = Math.round(width * ratio);
        made.height = Math.round(state.height * ratio);
      }
      const context = made.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, state.height);
      draw(context, state);
    });
  };
  new ResizeObserver(state.redraw).observe(made);
  redraws.push(state.redraw);
  return state;
}

/* A chart that is drawn anew where its box gets another width: text keeps its size on a narrow screen and on a wide one. */
function fluid(draw) {
  const box = element("div");
  let width = 0;
  const settle = () => {
    const now = Math.round(Math.max(300, Math.min(1300, box.clientWidth || 900)));
    if (now !== width) box.replaceChildren(draw((width = now)));
  };
  new ResizeObserver(settle).observe(box);
  settle();
  return box;
}
/* As much of a text as a chart has room for, its middle left out. */
const ruler = document.createElement("canvas").getContext("2d");
function chartText(text, width) {
  ruler.font = "12px system-ui, sans-serif";
  let most = Math.max(4, Math.floor(width / 4)), shown = shortened(text, most);
  while (most > 4 && ruler.measureText(shown).width > width) shown = shortened(text, (most = Math.min(most, Array.from(shown).length) - 1));
  return shown;
}
/* Round values from low to high, some `most` of them. */
function ticks(low, high, most) {
  const goal = (high - low) / Math.max(1, most), power = 10 ** Math.floor(Math.log10(goal || 1)), step = [1, 2, 5, 10].map(times => times * power).find(step => step >= goal) || 1, list = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) list.push(value);
  return list;
}

function fitted(context, text, width) {
  if (width < 12) return "";
  const perCharacter = context.measureText("n").width;
  const most = Math.floor(width / perCharacter);
  if (text.length <= most) return text;
  return most < 3 ? "" : text.slice(0, most - 1) + "…";
}
