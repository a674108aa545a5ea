import fc from "fast-check";
import { expect, test } from "vitest";
import { de } from "../../i18n/de/de.ts";
import { en } from "../../i18n/en/en.ts";
import { pictureOf } from "./picture.ts";

const tunnels = [
  { id: "ams", name: "Amsterdam", rtt_ms: 18 },
  { id: "osl", name: "Oslo", rtt_ms: null },
];
const hop = (tunnel_id: string) => ({ type: "vpn", target: tunnel_id, tunnel_id, status: "up" });
const egress = [
  { policy_id: "through", outcome: "egress", hops: [hop("ams")], tunnel_id: "ams" },
  { policy_id: "chain", outcome: "egress", hops: [hop("osl"), hop("ams")], tunnel_id: "ams" },
  { policy_id: "dead", outcome: "block", hops: [hop("osl")], tunnel_id: null },
  { policy_id: "closed", outcome: "block", hops: [], tunnel_id: null },
] as const;
type Posture = "protected" | "blocked" | "exposed";
const device = (device_id: string, posture: Posture, policy_id: string | null) => ({
  device_id,
  device_name: device_id,
  posture,
  policy_id,
});
const traffic = (id: string, bytes: number | null) => ({
  device_id: id,
  device_name: id,
  received_bytes_per_sec: bytes,
  sent_bytes_per_sec: bytes === null ? null : 0,
  received_bytes_today: 0,
  sent_bytes_today: 0,
});
const known = {
  egress,
  tunnels,
  tunnelRates: new Map([["ams", 900]]),
  traffic: new Map([
    ["tv", traffic("tv", 500)],
    ["pc", traffic("pc", 700)],
    ["cam", traffic("cam", null)],
  ]),
  leaking: new Set<string>(),
  maxRows: 20,
};

test("picture: rows are in the order of their exits, then of their rates; blocked and direct ones come last", () => {
  const { rows, exits } = pictureOf({
    ...known,
    devices: [
      device("console", "exposed", "direct"),
      device("printer", "blocked", "closed"),
      device("phone", "blocked", "dead"),
      device("tv", "protected", "through"),
      device("pc", "protected", "through"),
      device("nas", "protected", "chain"),
      device("lost", "blocked", null),
    ],
  });
  expect(rows.map(({ key }) => key)).toEqual(["pc", "tv", "nas", "phone", "lost", "printer", "console"]);
  expect(exits.map(({ hops, kind, isOpen, rate }) => ({ hops, kind, isOpen, rate }))).toEqual([
    { hops: ["Amsterdam"], kind: "tunnel", isOpen: true, rate: 900 },
    { hops: ["Oslo", "Amsterdam"], kind: "tunnel", isOpen: true, rate: 900 },
    { hops: ["Oslo"], kind: "tunnel", isOpen: false, rate: null },
    { hops: [], kind: "blocked", isOpen: false, rate: null },
  ]);
  expect(rows.at(-1)).toMatchObject({ state: "direct", exit: null, rate: null });
});

test("picture: devices that are blocked by an outage share an exit, which states no reason, with those blocked by choice", () => {
  const outages = [
    { policy_id: "over", outcome: "next", hops: [hop("osl")], tunnel_id: null },
    { policy_id: "open", outcome: "direct", hops: [hop("osl")], tunnel_id: null },
  ] as const;
  const devices = ["over", "open", "closed"].map((policy) => device(policy, "blocked", policy));
  const { rows, exits } = pictureOf({ ...known, egress: [...egress, ...outages], devices });
  expect(exits).toMatchObject([{ kind: "blocked", hops: [] }]);
  expect(rows.map(({ exit }) => exit)).toEqual(["blocked", "blocked", "blocked"]);
  // What is shown beside it.
  for (const { home } of [en, de]) expect(home.picture.devices(3)).toMatch(/^3 \p{L}+$/u);
});

test("picture: a device that the leak check found leaks past every exit, whatever its policy says", () => {
  const devices = [device("tv", "protected", "through")];
  const { rows, exits } = pictureOf({ ...known, devices, leaking: new Set(["tv"]) });
  expect(rows).toMatchObject([{ state: "leaking", exit: null }]);
  expect(exits).toEqual([]);
});

test("picture: too many rows are drawn together by exit, idle ones first, and their rates are added", () => {
  const devices = [
    device("tv", "protected", "through"),
    device("pc", "protected", "through"),
    device("cam", "protected", "through"),
    device("lamp", "protected", "through"),
  ];
  const idle = pictureOf({ ...known, devices, maxRows: 3 });
  expect(idle.rows.map(({ key, count, isIdle, rate }) => [key, count, isIdle, rate])).toEqual([
    ["pc", 1, false, 700],
    ["tv", 1, false, 500],
    [expect.stringContaining("together"), 2, true, null],
  ]);
  const one = pictureOf({ ...known, devices, maxRows: 1 });
  expect(one.rows.map(({ count, rate }) => [count, rate])).toEqual([[4, 1200]]);
});

test("picture: counts every device once, and has no more rows than allowed or than there are exits", () => {
  const anyDevice = fc.record({
    posture: fc.constantFrom<Posture>("protected", "blocked", "exposed"),
    policy_id: fc.constantFrom("through", "chain", "dead", "closed", null),
    bytes: fc.constantFrom(0, 1, 5000, null),
  });
  fc.assert(
    fc.property(fc.array(anyDevice, { maxLength: 40 }), fc.integer({ min: 6, max: 12 }), (all, maxRows) => {
      const devices = all.map(({ posture, policy_id }, index) => device(`d${index}`, posture, policy_id));
      const rates = new Map(all.map(({ bytes }, index) => [`d${index}`, traffic(`d${index}`, bytes)]));
      const { rows, exits } = pictureOf({ ...known, devices, traffic: rates, maxRows });
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(devices.length);
      expect(rows.length).toBeLessThanOrEqual(Math.max(maxRows, exits.length + 1));
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      const bytesOf = (it: { rate: number | null }) => it.rate ?? 0;
      const sum = all.reduce((total, { bytes }) => total + (bytes ?? 0), 0);
      expect(rows.reduce((total, row) => total + bytesOf(row), 0)).toBe(sum);
    }),
  );
});
