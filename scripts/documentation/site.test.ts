import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { guidePages } from "../../cli/src/failure.ts";
import { recordFigure } from "../../testing/figure.ts";
import { render } from "./render.ts";
import { buildSite } from "./site.ts";

const site = buildSite(resolve("."), "1.2.3");
const pages = [...site].filter(([address]) => address.endsWith(".html")) as [string, string][];
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map(([, value]) => value!);
const idsOf = new Map(pages.map(([address, html]) => [address, new Set(attributes(html, "id"))]));

/** Whether an address, as it is written on a page, leads to something. Other servers are not contacted. */
function leads(from: string, href: string): boolean {
  if (/^(?:https?|mailto):/.test(href)) return true;
  const { pathname, hash } = new URL(href, `http://gateway/docs/${from}`);
  const anchor = decodeURIComponent(hash.slice(1));
  if (!pathname.startsWith("/docs/")) return known.has(pathname);
  const address = decodeURIComponent(pathname.slice("/docs/".length));
  return site.has(address) && (anchor === "" || idsOf.get(address)?.has(anchor) === true);
}

/** What the daemon serves besides. */
const known = new Set(["/", "/gate.svg", "/theme.js", "/api/v1/openapi.json"]);

test("documentation: every link, image and anchor of every page resolves", () => {
  expect(pages.length).toBeGreaterThan(150);
  const dead = pages.flatMap(([address, html]) =>
    ["href", "src", "data-index", "data-root"]
      .flatMap((name) => attributes(html, name))
      .filter((it) => !leads(address, it))
      .map((it) => `${address}: ${it}`),
  );
  expect(dead).toEqual([]);
  // The check finds what is missing.
  for (const href of ["gone.html", "dns.html#gone", "/elsewhere", "../../LICENSE"])
    expect(leads("guide/routing.html", href)).toBe(false);
  expect(leads("guide/routing.html", "dns.html")).toBe(true);
});

test("documentation: every result of the search resolves", () => {
  const entries = JSON.parse(site.get("search.json") as string) as [string, string, string, string][];
  expect(entries.length).toBeGreaterThan(500);
  expect(entries.filter(([, , address]) => !leads("index.html", address))).toEqual([]);
  expect(entries.some(([title, , , text]) => title === "Proxies" && text.includes("socks5"))).toBe(true);
});

test("documentation: no page loads anything from another server, or runs anything that it contains itself", () => {
  for (const [, html] of pages) {
    const loaded = [...html.matchAll(/<(?:script|img|link|iframe|source|video|audio|object|embed)\b[^>]*>/g)].join();
    expect(loaded).not.toMatch(/(?:src|href)="(?:[a-z]+:)?\/\//);
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|<[^>]*\son\w+=|javascript:/);
  }
});

test("documentation: every screen of the web interface has a page of the guide", () => {
  // The type of an entry demands both.
  const menu = readFileSync(resolve("web/src/shell/menu.ts"), "utf8");
  const screens = [...menu.matchAll(/path: "([^"]+)",\s+guide: "([^"]+)"/g)];
  expect(screens.length).toBeGreaterThan(10);
  for (const [, path, guide] of screens)
    expect({ path, exists: leads("index.html", guide!) }).toEqual({ path, exists: true });
});

test("documentation: the pages that the command line names exist", () => {
  expect(Object.keys(guidePages).length).toBeGreaterThan(3);
  for (const page of Object.values(guidePages)) expect([page, leads("guide/index.html", page)]).toEqual([page, true]);
});

test("documentation: its size in the package", () => {
  const bytes = [...site.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  recordFigure({ name: "size of the documentation in the package", value: bytes / 1e6, unit: "MB", most: 6 });
  expect(bytes).toBeLessThan(6_000_000);
});

const place = { path: "docs/a.md", address: "a.html", addressOf: () => undefined, elsewhere: {} };

test("documentation: HTML in Markdown is text, and comments are left out", () => {
  const { html } = render("# A\n\n<!-- note -->\n\n<script>alert(1)</script>\n\n<b onclick=x>b</b> & `<i>`", place);
  expect(html).not.toMatch(/<script|<b |note|<i>/);
  expect(html).toContain("&#60;script&#62;alert(1)&#60;/script&#62;");
});

test("documentation: anchors are those of other readers of the files", () => {
  const { headings, sections } = render("# A B\n\n## `x.y`: z's & ü_1\n\none *two*\n\n## Same\n## Same\n", place);
  expect(headings.map(({ anchor }) => anchor)).toEqual(["a-b", "xy-zs--ü_1", "same", "same-1"]);
  expect(sections[1]).toEqual({ heading: "x.y: z's & ü_1", anchor: "xy-zs--ü_1", text: "one two" });
});
