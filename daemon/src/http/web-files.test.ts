import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { status } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { wantsPage, webFiles, webHeaders } from "./web-files.ts";

const page = "<!doctype html><title>Portcullis</title>";
const script = "export const gate = 'blocked';";
const built: Readonly<Record<string, string>> = {
  "index.html": page,
  "favicon.svg": "<svg/>",
  "site.webmanifest": "{}",
  "assets/app.js": "export {};",
  "assets/main-Bx3_-k9Q.js": script,
  "assets/main-Bx3_-k9Q.css": "body{}",
  "assets/inter-D0dGf1aa.woff2": "font",
  "assets/.hidden": "not served",
  ".env": "not served",
};

/** A server with pages, and a file next to them that must not be served. */
function withPages(files = built) {
  const folder = temporaryFolder();
  const web = join(folder.path, "web");
  for (const [name, text] of Object.entries(files)) {
    const path = join(web, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (!/\.(?:html|js)$/.test(name)) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(text));
    writeFileSync(`${path}.gz`, gzipSync(text));
  }
  writeFileSync(join(folder.path, "secret.txt"), "not served");
  symlinkSync(join(folder.path, "secret.txt"), join(web, "link.txt"));
  const health = { status: { health: status.health } };
  const app = createApiServer(health, { status: { health: () => ({ status: "ok" as const }) } }, { webFolder: web });
  const ask = (url: string, headers: Readonly<Record<string, string>> = {}, method: "GET" | "HEAD" | "POST" = "GET") =>
    app.inject({ method, url, headers: { host: "localhost", ...headers } });
  return { web, ask, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const forever = "public, max-age=31536000, immutable";

test.each([
  ["/", "text/html; charset=utf-8", "no-cache"],
  ["/index.html", "text/html; charset=utf-8", "no-cache"],
  ["/?page=2", "text/html; charset=utf-8", "no-cache"],
  ["/favicon.svg", "image/svg+xml", "no-cache"],
  ["/site.webmanifest", "application/manifest+json", "no-cache"],
  ["/assets/app.js", "application/javascript; charset=utf-8", "no-cache"],
  ["/assets/main-Bx3_-k9Q.js", "application/javascript; charset=utf-8", forever],
  ["/assets/main-Bx3_-k9Q.css", "text/css; charset=utf-8", forever],
  ["/assets/inter-D0dGf1aa.woff2", "font/woff2", forever],
])("web files: %s is served as %s, to be kept %s", async (url, type, kept) => {
  using pages = withPages();
  for (const method of ["GET", "HEAD"] as const) {
    const { statusCode, headers } = await pages.ask(url, {}, method);
    expect([statusCode, headers["content-type"], headers["cache-control"]]).toEqual([200, type, kept]);
    expect([headers["etag"], headers["last-modified"]]).toEqual([undefined, undefined]);
  }
});

test("web files: whatever is served comes under a policy that lets nothing in from elsewhere", async () => {
  using pages = withPages();
  for (const url of ["/", "/devices/123", "/assets/main-Bx3_-k9Q.js"]) {
    const { headers } = await pages.ask(url, browser);
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const [camera, ...others] = String(headers["permissions-policy"]).split(", ");
    expect(camera).toBe("camera=(self)");
    expect(others).toContain("microphone=()");
    expect(others.filter((it) => !it.endsWith("=()"))).toEqual([]);
  }
});

test("web files: a page that came over plain HTTP says nothing that browsers would not believe", async () => {
  using pages = withPages();
  const opener = async (host: string) =>
    (await pages.ask("/", { ...browser, host })).headers["cross-origin-opener-policy"];
  expect(await Promise.all(["localhost:8080", "127.0.0.1:8080", "[::1]:8080"].map(opener))).toEqual(
    Array(3).fill("same-origin"),
  );
  expect(await Promise.all(["10.0.0.1:8080", "gateway.lan", "127.example.net"].map(opener))).toEqual(
    Array(3).fill(undefined),
  );
});

test.each([
  ["br, gzip", "br"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["gzip, br;q=0", "gzip"],
  ["zstd", undefined],
  ["identity", undefined],
])("web files: Accept-Encoding %s gets %s", async (accepted, encoding) => {
  using pages = withPages();
  const read = { br: brotliDecompressSync, gzip: gunzipSync, none: (it: Buffer) => it }[encoding ?? "none"]!;
  for (const [url, text] of [
    ["/", page],
    ["/devices/123", page],
    ["/assets/main-Bx3_-k9Q.js", script],
  ] as const) {
    const { headers, rawPayload } = await pages.ask(url, { ...browser, "accept-encoding": accepted });
    expect([headers["content-encoding"], headers["vary"]]).toEqual([encoding, "accept-encoding"]);
    expect(headers["cache-control"]).toBe(url.startsWith("/assets") ? forever : "no-cache");
    expect(read(rawPayload).toString()).toBe(text);
  }
  const plain = await pages.ask("/favicon.svg", { "accept-encoding": accepted });
  expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, "<svg/>"]);
});

test.each(["/devices", "/devices/123", "/dns/example.com", "/assets/", "/apis", "/deep/er/still?tab=2#here"])(
  "web files: %s is an address of the interface for a browser, and nothing for anybody else",
  async (url) => {
    using pages = withPages();
    const shown = await pages.ask(url, browser);
    expect([shown.statusCode, shown.body, shown.headers["cache-control"]]).toEqual([200, page, "no-cache"]);
    const head = await pages.ask(url, browser, "HEAD");
    expect([head.statusCode, head.body, head.headers["content-length"]]).toEqual([200, "", String(page.length)]);
    for (const accept of ["*/*", "application/json", "text/html;q=0"])
      expect(await said(pages.ask(url, { accept }))).toEqual([404, "not_found"]);
    expect(await said(pages.ask(url, browser, "POST"))).toEqual([404, "not_found"]);
  },
);

test.each(["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/health", "/%61pi/v1/nothing"])(
  "web files: %s is the API's to refuse, also towards a browser",
  async (url) => {
    using pages = withPages();
    const answer = await pages.ask(url, browser);
    expect(await said(Promise.resolve(answer))).toEqual([404, "not_found"]);
    expect(answer.headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
    expect((await pages.ask("/api/v1/health", browser)).json()).toEqual({ status: "ok" });
  },
);

test.each([
  "/../secret.txt",
  "/%2e%2e/secret.txt",
  "/..%2fsecret.txt",
  "/assets/..%5c..%5csecret.txt",
  "/assets/..%2f..%2f..%2fsecret.txt",
  "//secret.txt",
  "/link.txt",
  "/.env",
  "/%2eenv",
  "/assets/.hidden",
  "/assets",
  "/index.html/",
  "/index.html%00",
  "/assets/app.js.br",
  "/assets/app.js.gz",
  "/assets/gone-Bx3_-k9Q.js",
])("web files: %s leads to nothing of ours, in the envelope", async (url) => {
  using pages = withPages();
  expect(await said(pages.ask(url))).toEqual([404, "not_found"]);
  expect((await pages.ask(url, browser)).body).toBe(page);
});

test("web files: a file that is gone since is not kept anywhere as what it was", async () => {
  using pages = withPages();
  rmSync(join(pages.web, "assets"), { recursive: true });
  const answer = await pages.ask("/assets/main-Bx3_-k9Q.js", { "accept-encoding": "br" });
  expect(await said(Promise.resolve(answer))).toEqual([404, "not_found"]);
  expect(answer.headers["cache-control"]).toBe("no-store");
});

test("web files: without a page there are no pages", async () => {
  using pages = withPages({ "assets/app.js": "export {};" });
  for (const url of ["/", "/devices", "/assets/app.js"])
    expect(await said(pages.ask(url, browser))).toEqual([404, "not_found"]);
  expect((await pages.ask("/api/v1/health")).statusCode).toBe(200);
});

test("web files: the files are those of the build, each once", () => {
  using pages = withPages();
  const public_ = Object.keys(built).filter((it) => !/(?:^|\/)\./.test(it));
  expect([...webFiles(pages.web)].toSorted()).toEqual(public_.toSorted());
  writeFileSync(join(pages.web, "backup.gz"), "no other file's twin");
  expect(webFiles(pages.web)).toContain("backup.gz");
});

test.each([
  ["assets/main-Bx3_-k9Q.js.br", forever],
  ["assets/fonts/inter-variable-Bx3k9Q12.woff2", forever],
  ["assets/inter-variable.woff2", "no-cache"],
  ["assets/main-Bx3k9Q.js", "no-cache"],
  ["main-Bx3k9Q12.js", "no-cache"],
  ["index.html.gz", "no-cache"],
])("web files: %s: %s", (path, kept) => expect(webHeaders(path)["cache-control"]).toBe(kept));

test.each([
  [undefined, false],
  ["", false],
  ["*/*", false],
  ["text/*", false],
  ["TEXT/HTML", true],
  ["application/json, text/html ; q=0.1", true],
  ["text/html;q=0.0", false],
  ["text/htmlx", false],
])("web files: Accept %s requests a page: %s", (accept, wants) => expect(wantsPage(accept)).toBe(wants));

async function said(answer: Promise<{ statusCode: number; body: string }>) {
  const { statusCode, body } = await answer;
  return [statusCode, (JSON.parse(body) as { error: { code: string } }).error.code];
}
