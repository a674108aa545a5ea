import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { download } from "./download.ts";
import { isInside, lookupOutside } from "./targets.ts";

/** A server on loopback, and the requested paths. */
async function serve(answer: RequestListener): Promise<{ readonly origin: string; readonly requested: string[] }> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url!);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested };
}

async function fetched(url: string, allowPrivate: boolean): Promise<string> {
  using folder = temporaryFolder();
  const into = `${folder.path}/list`;
  const limits = { maxBytes: 1 << 20, limitMs: 20_000, maxRedirects: 5 };
  try {
    await download({
      pqMode: "default",
      url,
      into,
      allowPrivate,
      known: { etag: null, lastModified: null },
      ...limits,
    });
    return readFileSync(into, "utf8");
  } catch (error) {
    return existsSync(into) ? "something is left of it" : (error as Error).message;
  }
}

const refusal = expect.stringContaining('"kind":"inside"');

test("download: a server inside the network is contacted with permission only", async () => {
  const { origin, requested } = await serve((_, response) => response.end("list"));
  const port = new URL(origin).port;
  for (const host of [
    "127.0.0.1",
    "localhost",
    "127.1",
    "0x7f000001",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "0.0.0.0",
  ])
    expect([host, await fetched(`http://${host}:${port}/`, false)]).toEqual([host, refusal]);
  expect(requested).toEqual([]);
  for (const host of ["127.0.0.1", "localhost"]) expect(await fetched(`http://${host}:${port}/`, true)).toBe("list");
});

test("download: a permitted server cannot redirect to another one inside the network", async () => {
  const victim = await serve((_, response) => response.end("settings"));
  const port = new URL(victim.origin).port;
  const targets = [
    `${victim.origin}/api/v1/settings`,
    `http://localhost:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0.0.0.0:${port}/`,
    `//127.0.0.1:${port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
  ];
  const hostile = await serve(({ url }, response) => {
    const index = Number(/^\/(\d+)$/.exec(url!)?.[1] ?? -1);
    if (url === "/moved") response.writeHead(302, { location: "/here" }).end();
    else if (index < 0) response.end("list");
    else response.writeHead(302, { location: targets[index]! }).end();
  });
  for (const [index, target] of targets.entries())
    expect([target, await fetched(`${hostile.origin}/${index}`, true)]).toEqual([target, refusal]);
  expect(victim.requested).toEqual([]);
  expect(await fetched(`${hostile.origin}/moved`, true)).toBe("list");
  expect(await fetched(`${victim.origin}/`, true)).toBe("settings");
});

test("download: packed lists are unpacked, unknown encodings refused", async () => {
  const packed = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
  const { origin } = await serve(({ url }, response) => {
    const encoding = url!.slice(1) as keyof typeof packed;
    response.setHeader("content-encoding", encoding).end(packed[encoding]?.("list") ?? "list");
  });
  for (const encoding of Object.keys(packed)) expect(await fetched(`${origin}/${encoding}`, true)).toBe("list");
  expect(await fetched(`${origin}/zstd`, true)).toContain('"encoding":"zstd"');
});

test("lookupOutside: a name with one address inside the network has no address", async () => {
  const answer = await new Promise((resolve) => {
    lookupOutside("localhost", { all: true }, (error, addresses) => resolve(error ?? addresses));
  });
  expect(answer).toBeInstanceOf(Error);
});

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "224.0.0.251",
  "255.255.255.255",
  "::",
  "::1",
  "fe80::1",
  "fe80::1%eth0",
  "fc00::1",
  "fdff::1",
  "ff02::fb",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "::127.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::1",
  "2002:0a00:0001::1",
  "2001:0:1::1",
  "no address",
])("%s is inside the network", (address) => {
  expect(isInside(address)).toBe(true);
});

test.each([
  "1.1.1.1",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.0.2.1",
  "203.0.113.9",
  "198.51.100.7",
  "2606:4700::1111",
  "2001:db8::1",
  "::ffff:1.1.1.1",
  "64:ff9b::1.1.1.1",
  "2002:0101:0101::1",
])("%s is on the Internet", (address) => {
  expect(isInside(address)).toBe(false);
});

test("addresses of the machine itself are inside the network, also public ones", () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((it) => it ?? []))
    expect(isInside(address)).toBe(true);
});
