import { expect, test } from "vitest";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import type { Resources } from "../../compiler/input/read-document.ts";
import type { CountedFlow } from "../../engines/conntrack/flows.parse.ts";
import { blockEgress, localEgress } from "../../engines/nftables/nftables.model.ts";
import { attribute, levelIn, ownersIn } from "./attribution.ts";

const count = 10_000;
const classes = [
  { id: "open", name: "open", log_level: "full" },
  { id: "hidden", name: "hidden", log_level: "none" },
];
const device = Array.from({ length: count }, (_, n) => ({
  id: `device ${n}`,
  mac: `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`,
  ips: [],
  privacy_class: n === count - 1 ? "hidden" : "open",
  trust_class: null,
}));
const inventory = { device, privacy_class: classes, trust_class: [] } as unknown as Resources;

test(
  "attribution: the log levels of 10,000 devices are found at once, and an unknown device has none",
  repeatable,
  () => {
    const startedMs = performance.now();
    const levelOf = levelIn(inventory);
    const levels = device.map(({ id }) => levelOf(id));
    expectWithin(0.1, { "log levels of 10,000 devices": (performance.now() - startedMs) / 1000 });
    expect(new Set(levels.slice(0, -1))).toEqual(new Set(["full"]));
    expect([levels.at(-1), levelOf("gone")]).toEqual(["none", "none"]);
  },
);

test("attribution: an address belongs to the device whose card has it now; one without a card belongs to none, and has the strictest level", () => {
  const ownerOf = ownersIn(inventory, [{ address: "10.0.0.7", mac: device[7]!.mac }]);
  expect(ownerOf("10.0.0.7")).toEqual({ device: "device 7", level: "full" });
  expect(ownerOf("10.0.0.8")).toEqual({ device: undefined, level: "none" });
});

const usage = { sentBytes: 1000, receivedBytes: 300, sentPackets: 10, receivedPackets: 3, connections: 1 };
const flow = (more: Partial<CountedFlow> = {}): CountedFlow => ({
  id: 1,
  source: "10.0.0.7",
  destination: "203.0.113.9",
  mark: 2,
  isDns: false,
  isRedirected: false,
  sent: { packets: 10, bytes: 1000 },
  received: { packets: 3, bytes: 300 },
  ...more,
});

test("attribution: connections of a device are added up; blocked ones, queries to our resolver and the leak check's probes are left out", () => {
  const flows = [
    flow(),
    flow({ destination: "203.0.113.10" }),
    flow({ source: "10.0.0.99" }),
    flow({ mark: 0 }),
    flow({ mark: blockEgress }),
    flow({ mark: localEgress }),
    flow({ isDns: true, isRedirected: true }),
    flow({ destination: "198.18.0.7" }),
    flow({ destination: "2001:2::7" }),
  ];
  const { subjects, destinations } = attribute(
    flows.map((it) => ({ flow: it, usage })),
    {
      ownerOf: (address) =>
        address === "10.0.0.7" ? { device: "tv", level: "full" } : { device: undefined, level: "counts" },
      policyOf: ({ source }) => (source === "10.0.0.7" ? "p" : undefined),
      nameOf: (_, address) => (address === "203.0.113.10" ? "host.example" : undefined),
    },
  );
  const times = (count: number) => Object.fromEntries(Object.entries(usage).map(([field, it]) => [field, count * it]));
  expect(subjects).toEqual([
    { kind: "total", id: "", usage: times(3) },
    { kind: "policy", id: "p", usage: times(2) },
    { kind: "device", id: "tv", usage: times(2) },
  ]);
  expect(destinations.map((it) => [it.destination, it.sentBytes])).toEqual([
    ["203.0.113.9", 1000],
    ["host.example", 1000],
  ]);
  expect(usage.sentBytes).toBe(1000);
});
