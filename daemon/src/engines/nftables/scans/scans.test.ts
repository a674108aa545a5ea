import { expect, test } from "vitest";
import { rulesIn } from "../nftables.parse.ts";
import { packetsIn, sendersIn, targetsIn } from "./scans.parse.ts";
import { renderScans } from "./scans.render.ts";

test("scans: no rule has a verdict that accepts or drops a packet", () => {
  const script = renderScans({ lan: ["lan0", "lan0.10"] });
  expect(script).toMatch(/iifname \{ "lan0", "lan0\.10" \} jump opening/);
  expect(rulesIn(script)).toBe(14);
  expect(script.replace("policy accept;", "")).not.toMatch(/\b(?:accept|drop|reject|queue|redirect|dnat|mark set)\b/);
});

test("scans: what nft lists of senders, targets and counters is read", () => {
  const set = (elem: readonly object[]) =>
    JSON.stringify({ nftables: [{ metainfo: {} }, { set: { name: "x", elem } }] });
  const sender = { elem: { val: "02:00:00:00:00:01", expires: 899, counter: { packets: 12, bytes: 720 } } };
  expect(sendersIn(set([sender]))).toEqual([{ mac: "02:00:00:00:00:01", targets: 12 }]);
  const concat = ["02:00:00:00:00:01", "fd00::1", "udp", 53];
  expect(targetsIn(set([{ elem: { val: { concat }, expires: 890 } }]))).toEqual([
    { mac: "02:00:00:00:00:01", address: "fd00::1", protocol: "udp", port: 53, ageSec: 10 },
  ]);
  expect([sendersIn("{}"), targetsIn("{}")]).toEqual([[], []]);
  const counters = JSON.stringify({ nftables: [{ counter: { name: "unrecorded", packets: 3, bytes: 180 } }] });
  expect([packetsIn(counters, "unrecorded"), packetsIn(counters, "other"), packetsIn("{}", "unrecorded")]).toEqual([
    3, 0, 0,
  ]);
});
