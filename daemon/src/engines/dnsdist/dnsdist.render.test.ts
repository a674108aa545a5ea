import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { type Frontend, portsOf, type Upstream } from "./dnsdist.model.ts";
import { proxiedAddresses, luaOf, renderFrontend, renderConfigure, renderSettings } from "./dnsdist.render.ts";

announceSeed("dnsdist");

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);
const plain: Upstream = {
  name: "near",
  address: "192.0.2.53",
  port: 53,
  protocol: "plain",
  serverName: null,
  path: "/dns-query",
  source: "10.8.0.2",
  pqMode: "default",
  usesDnsProxy: false,
};
const front: Frontend = {
  egress: "nl",
  number: 3,
  userId: 1_900_018_024,
  ports: portsOf(3),
  isResolving: true,
  isMapping: true,
  upstreams: {
    rotation: "fastest",
    servers: [
      plain,
      { ...plain, name: "sealed", address: "2001:db8::53", port: 853, protocol: "dot", source: null },
      { ...plain, name: "web", port: 443, protocol: "doh", serverName: "dns.example", source: null },
      { ...plain, name: "ours", port: 443, protocol: "doh", serverName: "dns.example", usesDnsProxy: true },
    ],
  },
  conditional: [{ domain: "corp.example", pool: { rotation: "failover", servers: [{ ...plain, name: "corp" }] } }],
  zones: ["home.example"],
  external: { address: "192.168.1.9", port: 5353 },
  rebindable: ["plex.example"],
  isRebindingProtected: true,
  ratePerSec: 200,
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  logPort: 17_991,
};
const noEgress: Frontend = { ...front, number: 0, ports: portsOf(0), isResolving: false, isMapping: false };
const key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

test("dnsdist: configuration", () => expect(renderFrontend(front, key)).toMatchFileSnapshot(golden("frontend.lua")));

test("dnsdist: configuration for clients without an egress", () =>
  expect(renderFrontend(noEgress, key)).toMatchFileSnapshot(golden("no-egress.lua")));

test("dnsdist: runtime settings", () =>
  expect(`${renderConfigure(renderSettings(front), "digest")}\n`).toMatchFileSnapshot(golden("settings.lua")));

test("dnsdist: runtime settings do not cause a restart", () => {
  const changed: Frontend = {
    ...front,
    egress: "another",
    upstreams: { rotation: "random", servers: [] },
    conditional: [],
    zones: [],
    external: null,
    rebindable: [],
    isRebindingProtected: false,
    ratePerSec: 0,
  };
  expect(renderFrontend(changed, key)).toBe(renderFrontend(front, key));
  expect(renderSettings(changed)).not.toBe(renderSettings(front));
});

test("dnsdist: each upstream of the DNS proxy has its own address", () => {
  const [one, two] = [1, 2].map((it) => ({ ...plain, name: `f${it}`, usesDnsProxy: true }));
  const pool = { rotation: "failover" as const, servers: [two!] };
  const both: Frontend = {
    ...front,
    upstreams: { rotation: "random", servers: [plain, one!] },
    conditional: [{ domain: "a.example", pool }],
  };
  const addresses = proxiedAddresses(both);
  expect([...addresses.keys()].toSorted()).toEqual(["f1", "f2"]);
  expect(new Set(addresses.values()).size).toBe(2);
  expect([...addresses.values()].every((it) => it.startsWith("127."))).toBe(true);
});

test("no text can say anything but itself", () =>
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 30 }), { minLength: 1, maxLength: 20 }), (texts) => {
      const hex = "(text:gsub('.', function(c) return ('%02x'):format(c:byte()) end))";
      const script = `for _, text in ipairs(${luaOf(texts)}) do print('=' .. ${hex}) end`;
      const said = execFileSync("luajit", ["-e", script], { encoding: "utf8" }).trimEnd().split("\n");
      expect(said).toEqual(texts.map((text) => `=${Buffer.from(text).toString("hex")}`));
    }),
    { numRuns: 20 },
  ));
