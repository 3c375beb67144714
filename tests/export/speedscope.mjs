/* speedscope's own page reads our files: it shows the profiles by their names and complains of nothing. */
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { check, folder, open, same, tools, withBrowser } from "./browser.mjs";

const release = join(tools, "node_modules/speedscope/dist/release");
if (!existsSync(join(release, "index.html"))) {
  console.log("skipped: speedscope is not installed: run tests/export/get-tools");
  process.exit(77);
}
const types = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json", png: "image/png", ico: "image/x-icon", woff2: "font/woff2", wasm: "application/wasm" };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)), file = path.startsWith("/profiles/") ? join(folder, path.slice(10)) : join(release, path === "/" ? "index.html" : path);
  if (!existsSync(file)) { response.writeHead(404).end(); return; }
  response.writeHead(200, { "Content-Type": types[file.split(".").pop()] || "application/octet-stream" }).end(readFileSync(file));
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}`;

await withBrowser(async context => {
  for (const name of ["plain-critical-path", "plain-exceptions", "hostile-critical-path", "hostile-exceptions"]) {
    const wanted = JSON.parse(readFileSync(join(folder, name + ".speedscope.json")));
    const page = await open(context, `${address}/#profileURL=${encodeURIComponent(`/profiles/${name}.speedscope.json`)}`, name);
    await page.waitForFunction(() => document.querySelector("canvas") || /error|couldn.t|went wrong/i.test(document.body.innerText));
    const text = await page.evaluate(() => document.body.innerText);
    check(`${name}: speedscope says ${text.slice(0, 200)}`, !/something went wrong|couldn.t|failed to/i.test(text));
    check(`${name}: it shows a profile of it: ${text.slice(0, 200)}`, wanted.profiles.length === 1 || text.includes(`/${wanted.profiles.length}`));
    same(`${name}: nothing got in`, await page.evaluate(() => [document.title.startsWith("owned"), document.querySelectorAll("img[src=x]").length]), [false, 0]);
    await page.close();
  }
});
