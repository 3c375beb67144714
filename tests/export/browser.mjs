/* What the tests in the browser share: a headless Chromium, checks that count, pages that must not complain. */
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

export const [folder, tools, browserPath] = process.argv.slice(2);
const { chromium } = createRequire(join(tools, "node_modules/"))("playwright-core");

let checks = 0, failed = 0;
export function check(what, isSo) {
  checks++;
  if (!isSo) { failed++; console.log("FAILED " + what); }
}
export function same(what, found, wanted) {
  check(`${what}: found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`, JSON.stringify(found) === JSON.stringify(wanted));
}

export async function withBrowser(work) {
  const profile = mkdtempSync(join(tmpdir(), "warmtrace-browser-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath: browserPath, headless: true, viewport: { width: 1300, height: 900 }, reducedMotion: "reduce",
    args: ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  context.setDefaultTimeout(20000);
  try {
    await work(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
  console.log(`${checks} checks, ${failed} failed`);
  process.exit(failed || !checks ? 1 : 0);
}

/* A page whose every message, error, dialog and request to anything else is a failure. */
export async function open(context, url, label) {
  const page = await context.newPage();
  page.on("console", message => check(`${label}: console says ${message.type()} ${message.text()}`, !["error", "warning"].includes(message.type()) || message.text().includes("GL Driver Message")));
  page.on("pageerror", error => check(`${label}: ${error.stack}`, false));
  page.on("dialog", dialog => { check(`${label}: a dialog opened: ${dialog.message()}`, false); dialog.dismiss(); });
  page.on("request", request => check(`${label}: asks for ${request.url().slice(0, 100)}`, request.url() === url || url.startsWith("http") || request.url().startsWith("data:")));
  await page.goto(url);
  return page;
}
