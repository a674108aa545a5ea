import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { api } from "@portcullis/contract/api";
import { status } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { createDoor } from "../../../testing/door.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { docsPage, servePages } from "./pages.ts";

test("every endpoint has its place on the page, in words a browser shows as they are", () => {
  const { html } = docsPage(api, "1.2.3");
  for (const [subsystem, endpoints] of Object.entries(api))
    for (const name of Object.keys(endpoints)) expect(html).toContain(`<code>${subsystem}.${name}</code>`);
  const odd = { ...status.health, summary: "<script>alert(1)</script> & more" };
  expect(docsPage({ odd: { odd } }, "1").html).toContain("&#60;script&#62;alert(1)&#60;/script&#62; &#38; more");
});

const health = { status: { health: status.health } };
const healthy = { status: { health: () => ({ status: "ok" as const }) } };

/** A door with pages behind it, and a file beside them that is nobody's business. */
function withPages() {
  const folder = temporaryFolder();
  const web = join(folder.path, "web");
  mkdirSync(join(web, "assets"), { recursive: true });
  writeFileSync(join(web, "index.html"), "<!doctype html><title>Portcullis</title>");
  writeFileSync(join(web, "assets", "app.js"), "export {};");
  writeFileSync(join(folder.path, "secret.txt"), "nobody's business");
  const app = createDoor(health, healthy);
  servePages(app, web);
  const get = (url: string) => app.inject({ method: "GET", url, headers: { host: "localhost" } });
  return { get, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("the pages are served from the root, under a policy that lets nothing in from elsewhere", async () => {
  using pages = withPages();
  for (const [url, type] of [
    ["/", "text/html"],
    ["/index.html", "text/html"],
    ["/assets/app.js", "application/javascript"],
  ] as const) {
    const { statusCode, headers } = await pages.get(url);
    expect([url, statusCode, String(headers["content-type"]).split(";", 1)[0]]).toEqual([url, 200, type]);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'self'; frame-ancestors 'none'/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
});

test.each([
  "/../secret.txt",
  "/%2e%2e/secret.txt",
  "/..%2fsecret.txt",
  "/assets/..%5c..%5csecret.txt",
  "//secret.txt",
  "/assets/",
  "/assets",
  "/no-such-page",
])("%s leads nowhere, in the envelope", async (url) => {
  using pages = withPages();
  const { statusCode, body } = await pages.get(url);
  expect([statusCode, JSON.parse(body).error.code]).toEqual([404, "not_found"]);
  expect((await pages.get("/api/v1/health")).statusCode).toBe(200);
});

test("without pages the API is all there is", async () => {
  using folder = temporaryFolder();
  const app = createDoor(health, healthy);
  servePages(app, folder.path);
  const get = (url: string) => app.inject({ method: "GET", url, headers: { host: "localhost" } });
  expect([(await get("/")).statusCode, (await get("/api/v1/health")).statusCode]).toEqual([404, 200]);
});
