/* The pages and pictures in a real browser: no complaint, no request, names harmless; clicks, zoom, search, sort, keys;
 * nothing overlaps or sticks out at three sizes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, folder, open, same, withBrowser } from "./browser.mjs";

const url = name => "file://" + join(folder, name);

async function checkHarmless(page, label) {
  const found = await page.evaluate(() => ({ title: document.title, scripts: document.querySelectorAll("script").length, images: document.querySelectorAll("img, iframe, object, embed, link").length, handlers: [...document.querySelectorAll("*")].filter(each => [...each.attributes].some(attribute => attribute.name.startsWith("on"))).length }));
  check(`${label}: a name became a script: ${found.title}`, !found.title.startsWith("owned"));
  same(`${label}: scripts`, found.scripts, 2);
  same(`${label}: images and handlers`, [found.images, found.handlers], [0, 0]);
}

async function checkLayout(page, label) {
  for (const [width, height] of [[1600, 1000], [1024, 768], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const boxes = await page.evaluate(() => {
      const box = each => { const { left, right, top, bottom } = each.getBoundingClientRect(); return { id: each.id, left, right, top, bottom }; };
      const outside = [...document.querySelectorAll("svg.chart text")].filter(text => { const own = text.getBoundingClientRect(), chart = text.closest("svg").getBoundingClientRect(); return own.width && (own.left < chart.left - 1 || own.right > chart.right + 1 || own.bottom > chart.bottom + 2); }).map(text => text.textContent);
      const small = [...document.querySelectorAll("svg.chart text")].filter(text => text.getBoundingClientRect().height && text.getBoundingClientRect().height < 9).length;
      return { outside, small, sections: [...document.querySelectorAll("main > section")].map(box), pictures: [...document.querySelectorAll("canvas, svg.chart")].map(box), page: document.documentElement.scrollWidth, nav: box(document.querySelector("nav")), main: box(document.querySelector("main")) };
    });
    check(`${label} at ${width}: the page is ${boxes.page} wide`, boxes.page <= width + 1);
    check(`${label} at ${width}: there are sections`, boxes.sections.length > 1);
    boxes.sections.forEach((section, i) => {
      check(`${label} at ${width}: ${section.id} has a size`, section.bottom - section.top > 20 && section.right - section.left > width * 0.5);
      if (i) check(`${label} at ${width}: ${section.id} lies over the one before`, section.top >= boxes.sections[i - 1].bottom - 1);
    });
    for (const picture of boxes.pictures) check(`${label} at ${width}: a picture sticks out`, picture.right <= width + 1 && picture.right - picture.left > 150);
    same(`${label} at ${width}: texts that stick out of their chart`, boxes.outside, []);
    same(`${label} at ${width}: texts of charts too small to read`, boxes.small, 0);
    check(`${label} at ${width}: contents beside or above the text`, width > 900 ? boxes.nav.right <= boxes.main.left + 1 : boxes.nav.bottom <= boxes.main.top + 1);
  }
  await page.setViewportSize({ width: 1300, height: 900 });
}

async function checkReport(context, label, report) {
  const started = Date.now(), page = await open(context, url(label + ".html"), label);
  check(`${label}: drawn after ${Date.now() - started} ms`, Date.now() - started < 10000);
  await checkHarmless(page, label);
  await checkLayout(page, label);
  same(`${label}: the answer`, await page.evaluate(() => document.getElementById("answer").textContent.length > 10), true);
  same(`${label}: requests in the table`, await page.evaluate(() => Number([...document.querySelectorAll("#curve .say")][0]?.textContent.split(" ")[0] ?? report.requests.length)), report.requests.length > 1 ? report.requests.length : await page.evaluate(() => report.requests.length));

  /* the timeline, by mouse and keys */
  const range = () => page.evaluate(() => timelineMade.timeline.range());
  const canvas = page.locator("#timeline canvas");
  const [from, to] = await range();
  await canvas.scrollIntoViewIfNeeded();
  await page.click("[data-view=first]");
  const close = await range(), cold = report.requests.find(request => request.cold);
  check(`${label}: the first request is in view`, close[0] <= cold.start_ns && close[1] >= cold.start_ns + cold.latency_ns && close[1] - close[0] < to - from);
  await canvas.focus();
  await page.keyboard.press("+");
  const near = await range();
  check(`${label}: plus zooms in`, Math.abs((near[1] - near[0]) * 2 - (close[1] - close[0])) < 10);
  await page.keyboard.press("ArrowRight");
  check(`${label}: an arrow moves`, (await range())[0] > near[0]);
  await page.keyboard.press("ArrowDown");
  check(`${label}: a lane is told`, (await page.locator("#timeline .told").textContent()).includes("CPU time"));
  await page.keyboard.press("0");
  same(`${label}: 0 shows all`, await range(), [from, to]);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction(whole => { const [a, b] = timelineMade.timeline.range(); return b - a < whole * 0.7; }, to - from);
  const wheeled = await range();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60, { steps: 4 });
  await page.mouse.up();
  check(`${label}: dragging moves`, (await range())[0] > wheeled[0]);

  /* a table is sorted and searched */
  const column = at => page.evaluate(at => [...document.querySelectorAll("#files tbody tr")].map(row => row.children[at].textContent), at);
  if (report.files.length > 1) {
    await page.click("#files thead th:nth-child(1) button");
    const rising = await column(0);
    same(`${label}: sorted by path`, await page.locator("#files thead th:nth-child(1)").getAttribute("aria-sort"), "ascending");
    await page.click("#files thead th:nth-child(1) button");
    same(`${label}: sorted the other way`, (await page.locator("#files thead th:nth-child(1)").getAttribute("aria-sort")), "descending");
    check(`${label}: the order has changed`, JSON.stringify(await column(0)) !== JSON.stringify(rising));
  }
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("/");
  await page.keyboard.type("srv");
  await page.waitForFunction(() => document.querySelector("nav .hits"));
  check(`${label}: matches are marked`, (await page.locator("#files mark").count()) > 0);
  await page.keyboard.press("Escape");

  /* the flame graph: click to zoom, keys, what it says */
  const flame = page.locator("#flame canvas");
  await flame.scrollIntoViewIfNeeded();
  const rootName = () => page.evaluate(() => flameMade.flame.root().name);
  same(`${label}: the whole graph`, await rootName(), "all");
  const frame = await page.evaluate(() => { const box = flameMade.flame.boxes().find(box => box.frame.depth === 2); return { x: box.x + box.width / 2, y: box.y + 9, name: box.frame.name }; });
  await flame.click({ position: { x: frame.x, y: frame.y } });
  same(`${label}: a click zooms`, await rootName(), frame.name);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  same(`${label}: escape zooms out`, await rootName(), "all");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  check(`${label}: enter zooms in`, (await rootName()) !== "all");
  await page.keyboard.press("Home");
  if (report.cold_vs_warm[0]?.warm_count) {
    await page.click("#flame [data-mode=change]");
    same(`${label}: the difference`, await page.evaluate(() => flameMade.flame.mode()), "change");
  }

  /* theme, help, names for those who listen */
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.click("#theme");
  check(`${label}: the theme changes`, (await page.evaluate(() => document.documentElement.dataset.theme)) !== theme);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  check(`${label}: help opens`, await page.locator("dialog").isVisible());
  await page.keyboard.press("Escape");
  const silent = await page.evaluate(() => [...document.querySelectorAll("button, select, input, canvas, svg.chart, [role=img]")].filter(each => !(each.getAttribute("aria-label") || each.textContent.trim() || each.title)).map(each => each.outerHTML.slice(0, 80)));
  same(`${label}: everything has a name`, silent, []);
  await page.emulateMedia({ media: "print" });
  check(`${label}: no tools in print`, !(await page.locator(".tools").first().isVisible()));
  await page.close();
}

async function checkSvg(context, label) {
  const page = await open(context, url(label + ".svg"), label + ".svg");
  const shown = () => page.evaluate(() => [...document.querySelectorAll(".f")].filter(frame => frame.style.display !== "none").length);
  const whole = await shown();
  check(`${label}.svg: frames`, whole > 3);
  const frame = page.locator(".f").nth(4);
  await frame.click();
  check(`${label}.svg: a click zooms`, await page.evaluate(() => Math.abs(parseFloat(document.querySelectorAll(".f")[4].getAttribute("width")) - 100) < 0.001));
  check(`${label}.svg: other frames are gone`, (await shown()) <= whole);
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.getElementById("reset").dispatchEvent(new MouseEvent("click")));
  same(`${label}.svg: all are back`, await shown(), whole);
  check(`${label}.svg: search marks`, await page.evaluate(() => window.flame.mark("thread") > 0 && document.querySelectorAll(".f.hit").length > 0));
  same(`${label}.svg: nothing got in`, await page.evaluate(() => [document.querySelectorAll("script").length, document.querySelectorAll("img, foreignObject").length, document.querySelector("title").textContent.includes("owned")]), [1, 0, false]);
  await page.close();
}

async function checkComparison(context) {
  const page = await open(context, url("comparison.html"), "comparison");
  await checkHarmless(page, "comparison");
  await checkLayout(page, "comparison");
  check("comparison: every cause of a step", await page.evaluate(() => document.querySelectorAll("#differences svg.waterfall text").length >= 2));
  same("comparison: a mark for each run", await page.evaluate(() => [document.querySelectorAll("svg.strip rect").length, document.querySelectorAll("svg.strip circle").length]), [2, 2]);
  check("comparison: a waterfall", (await page.locator("svg.waterfall rect").count()) >= 2);
  const frames = await page.evaluate(() => flameMade.flame.boxes().map(box => [box.frame.name, box.frame.before, box.frame.total]));
  check("comparison: what vanished is drawn", frames.some(([name, before, now]) => name === "app.Gone.work" && before > 0 && now === 0));
  check("comparison: what is new is drawn", frames.some(([name, before, now]) => name === "app.New.work" && before === 0 && now > 0));
  check("comparison: a scenario's name is a name", (await page.locator("#answer").textContent()).length > 0 && (await page.locator("main b").count()) === 0);
  await page.close();
}

await withBrowser(async context => {
  for (const label of ["plain", "hostile", "busy"]) await checkReport(context, label, JSON.parse(readFileSync(join(folder, label + ".json"))));
  for (const label of ["plain", "hostile", "difference", "cold-and-warm", "hostile-difference", "hostile-cold-and-warm"]) await checkSvg(context, label);
  for (const label of ["plain", "hostile", "cold-and-warm"]) {
    const page = await open(context, url(label + "-flame.html"), label + " flame");
    await checkHarmless(page, label + " flame");
    same(`${label} flame: one section`, await page.locator("main > section").count(), 1);
    await page.close();
  }
  await checkComparison(context);
  const page = await open(context, url("hostile-comparison.html"), "hostile comparison");
  await checkHarmless(page, "hostile comparison");
  await checkLayout(page, "hostile comparison");
  check("hostile comparison: a name is spelt out", (await page.locator("body").innerText()).includes("\\u202eb"));
  await page.close();
});
