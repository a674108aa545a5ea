import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { status } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { temporaryFolder } from "../../../testing/folder.ts";

const browser = { accept: "text/html", host: "localhost" };

function served(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, name, ".."), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
  const health = { status: { health: status.health } };
  const handlers = { status: { health: () => ({ status: "ok" as const }) } };
  const app = createApiServer(health, handlers, { webFolder: folder.path });
  return {
    get: (url: string) => app.inject({ method: "GET", url, headers: browser }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("documentation: its folders have front pages, under the policy of the interface", async () => {
  using site = served({ "index.html": "interface", "docs/index.html": "contents", "docs/guide/index.html": "guide" });
  const { statusCode, headers } = await site.get("/docs");
  expect([statusCode, headers.location]).toEqual([302, "/docs/"]);
  for (const [url, body] of [
    ["/docs/", "contents"],
    ["/docs/guide/", "guide"],
    ["/docs/guide/index.html", "guide"],
  ] as const) {
    const page = await site.get(url);
    expect([page.body, page.headers["content-security-policy"]]).toEqual([
      body,
      expect.stringMatching(/default-src 'none'.*script-src 'self'/),
    ]);
  }
});

test("documentation: without it, its address is one of the interface", async () => {
  using site = served({ "index.html": "interface" });
  for (const url of ["/docs", "/docs/"]) expect((await site.get(url)).body).toBe("interface");
});
