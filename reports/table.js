/* Tables: sorted by any column, searched, copied whole; long ones show their first rows until asked. */
const rowsShown = 25;

/* columns: [{title, key, number: format | undefined, cell: row => node, text: row => string, value: row => sortable, help}] */
function table(id, title, columns, rows, options = {}) {
  let shown = rows.slice(), query = "", isWhole = false, sortedBy = options.sort ?? null, falling = options.falling ?? true;
  const textOf = (column, row) => (column.text ? column.text(row) : column.number ? column.number(row[column.key]) : row[column.key] ?? "");
  const rawOf = (column, row) => (column.value ? column.value(row) : row[column.key]);
  const body = element("tbody"), heads = columns.map((column, at) => {
    if (!column.title) return element("td");
    const button = element("button", { type: "button", title: column.help, on: { click: () => sortBy(at) } }, column.title);
    return element("th", { scope: "col", class: column.number ? "number" : null }, button);
  });
  const made = element("table", { "aria-label": title }, element("thead", null, element("tr", null, heads)), body);
  const more = element("button", { type: "button", class: "more", on: { click: () => { isWhole = !isWhole; fill(); } } });
  const told = element("span", { class: "say" });

  function sortBy(at) {
    falling = sortedBy === at ? !falling : Boolean(columns[at].number);
    sortedBy = at;
    fill();
    say(`${title} sorted by ${columns[at].title}, ${falling ? "falling" : "rising"}`);
  }
  function marked(text) {
    const whole = name(text);
    if (!query) return whole;
    const content = shortened(text, namesShown), at = content.toLowerCase().indexOf(query);
    if (at < 0) return whole;
    return element("bdi", { class: "name" }, content.slice(0, at), element("mark", null, content.slice(at, at + query.length)), content.slice(at + query.length));
  }
  function fill() {
    shown = query ? rows.filter(row => columns.some(column => plain(textOf(column, row)).toLowerCase().includes(query) || String(rawOf(column, row) ?? "").toLowerCase().includes(query))) : rows.slice();
    if (sortedBy !== null) {
      const column = columns[sortedBy];
      shown.sort((a, b) => {
        const left = rawOf(column, a) ?? -Infinity, right = rawOf(column, b) ?? -Infinity;
        const order = typeof left === "string" || typeof right === "string" ? String(left).localeCompare(String(right)) : left - right;
        return falling ? -order : order;
      });
    }
    heads.forEach((head, at) => (at === sortedBy ? head.setAttribute("aria-sort", falling ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    const part = isWhole ? shown : shown.slice(0, options.rows ?? rowsShown);
    body.replaceChildren(...part.map(row => element("tr", null, columns.map(column => {
      const cell = column.cell ? column.cell(row, marked) : column.number ? column.number(row[column.key]) : marked(row[column.key] ?? "");
      return element("td", { class: column.number ? "number" : column.share ? "share" : column.wide ? "name" : null }, cell);
    }))));
    more.hidden = shown.length <= (options.rows ?? rowsShown);
    more.textContent = isWhole ? "Show fewer" : `Show all ${count(shown.length)}`;
    told.textContent = query ? `${count(shown.length)} of ${count(rows.length)} match` : `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}`;
    return query ? shown.length : 0;
  }
  function asText() {
    const clean = text => plain(text ?? "").replace(/\t/g, " ");
    return [columns.map(column => column.title).join("\t"), ...shown.map(row => columns.map(column => clean(column.text ? column.text(row) : rawOf(column, row))).join("\t"))].join("\n");
  }
  fill();
  searched.push({ id, find: text => { query = text; return fill(); } });
  addEventListener("beforeprint", () => { options.before = isWhole; isWhole = shown.length < 400; fill(); });
  addEventListener("afterprint", () => { isWhole = options.before; fill(); });
  return element("div", { class: "table" }, element("div", { class: "tools" }, options.heading && element("h3", null, options.heading), told, element("span", { class: "grow" }), copyButton("Copy", title, asText)),
    element("div", { class: "scroll" }, made), more);
}

const nanoseconds = value => duration(value);
function partBar(part, group) {
  return element("span", { class: "part" + (hatched.has(group) ? " hatch" : ""), style: { width: (Math.max(0, Math.min(1, part)) * 100).toFixed(2) + "%", "background-color": `var(--${group})` } });
}
