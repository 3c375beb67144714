"use strict";
/* Zoom and search of a flame graph in SVG. Frames are placed in percent of the width; a frame's ancestors are those above
 * it that reach over it. */
(() => {
  const picture = document.documentElement, frames = [...picture.querySelectorAll(".f")], row = +picture.dataset.row, head = +picture.dataset.head;
  const told = document.getElementById("told"), reset = document.getElementById("reset"), search = document.getElementById("search"), first = told.textContent;
  const places = frames.map(frame => ({ frame, x: parseFloat(frame.getAttribute("x")), width: parseFloat(frame.getAttribute("width")), depth: (+frame.getAttribute("y") - head) / row, words: frame.querySelector("title").textContent }));
  const whole = places[0];
  /* Frames that were too narrow for a text have none yet. */
  function write(place) {
    if (place.frame.querySelector("text")) return;
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("x", 3); text.setAttribute("y", 13);
    text.textContent = place.words.split("\n")[0].slice(0, 400);
    place.frame.append(text);
  }
  let zoomed = whole;
  function zoom(to) {
    zoomed = to;
    const slack = 1e-3;
    for (const place of places) {
      const isAbove = place.depth < to.depth && place.x <= to.x + slack && place.x + place.width >= to.x + to.width - slack;
      const isInside = place.depth >= to.depth && place.x >= to.x - slack && place.x + place.width <= to.x + to.width + slack;
      place.frame.classList.toggle("above", isAbove);
      place.frame.style.display = isAbove || isInside ? "" : "none";
      place.frame.setAttribute("x", (isAbove ? 0 : (100 * (place.x - to.x)) / to.width) + "%");
      place.frame.setAttribute("width", (isAbove ? 100 : (100 * place.width) / to.width) + "%");
      if (isAbove || (isInside && place.width / to.width > 0.006)) write(place);
    }
    reset.setAttribute("visibility", to === whole ? "hidden" : "visible");
    told.textContent = to === whole ? first : to.words.replace("\n", ": ");
  }
  function find() {
    const text = prompt("Search frames for", "");
    if (text !== null) mark(text);
  }
  function mark(text) {
    const wanted = text.trim().toLowerCase();
    let hits = 0;
    for (const place of places) {
      const isHit = wanted !== "" && place.words.split("\n")[0].toLowerCase().includes(wanted);
      place.frame.classList.toggle("hit", isHit);
      if (isHit) hits++;
    }
    told.textContent = wanted === "" ? first : hits + " frames match";
    return hits;
  }
  places.forEach(place => place.frame.addEventListener("click", () => zoom(place)));
  reset.addEventListener("click", () => zoom(whole));
  search.addEventListener("click", find);
  addEventListener("keydown", event => {
    const focused = places.find(place => place.frame === document.activeElement);
    if (event.key === "Enter") { if (focused) zoom(focused); else if (document.activeElement === search) find(); else if (document.activeElement === reset) zoom(whole); }
    else if (event.key === "Escape") zoom(places.findLast(place => place.depth === zoomed.depth - 1 && place.x <= zoomed.x + 1e-3 && place.x + place.width >= zoomed.x + zoomed.width - 1e-3) || whole);
    else if (event.key === "/" && !event.ctrlKey) { find(); event.preventDefault(); }
    else if (focused && event.key.startsWith("Arrow")) {
      const near = places.filter(place => place.frame.style.display !== "none"), own = near.indexOf(focused);
      const level = near.filter(place => place.depth === focused.depth), at = level.indexOf(focused);
      const to = event.key === "ArrowLeft" ? level[at - 1] : event.key === "ArrowRight" ? level[at + 1] : event.key === "ArrowDown" ? near.find((place, i) => i > own && place.depth === focused.depth + 1 && place.x >= focused.x - 1e-3 && place.x < focused.x + focused.width) : near.findLast((place, i) => i < own && place.depth === focused.depth - 1);
      if (to) { to.frame.focus(); told.textContent = to.words.replace("\n", ": "); }
      event.preventDefault();
    }
  });
  window.flame = { mark, zoom: index => zoom(places[index]), frames: places.length };
})();
