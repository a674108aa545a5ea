import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { type Observed, wireguardChanges } from "./wireguard.diff.ts";
import { wireguard } from "./wireguard.engine.ts";
import type { WireguardLink } from "./wireguard.model.ts";
import { addressKey, type Device, networkKey, parseAnswer, parseDump, parseInterfaces } from "./wireguard.parse.ts";
import { renderConf } from "./wireguard.render.ts";

announceSeed("wireguard");

const [privateKey, peerKey, presharedKey] = ["PRIVATE=", "PEER=", "SHARED="] as [string, string, string];

const link: WireguardLink = {
  interface: "wg7",
  privateKey,
  addresses: ["10.9.0.5/32", "fd00:0::5/64"],
  mtu: 1380,
  listenPort: null,
  mark: 0x8000_0002,
  userId: 1_900_070_007,
  peers: [
    {
      publicKey: peerKey,
      presharedKey,
      endpoint: "[2001:db8:0::1]:51820",
      allowedIps: ["10.9.0.5/24", "fd00:0::1/64"],
      keepaliveSec: 5,
    },
  ],
};

/** As wireguard-tools 1.0 print it. */
const dump = [
  ["PRIVATE=", "PUBLIC=", "55930", "0x80000002"],
  ["PEER=", "SHARED=", "[2001:db8::1]:51820", "10.9.0.0/24,fd00::/64", "1794731000", "92", "180", "5"],
]
  .map((fields) => `${fields.join("\t")}\n`)
  .join("");

/** As iproute2 6.1 prints it, with what does not matter left out. */
const addresses = JSON.stringify([
  { ifname: "lo", flags: ["LOOPBACK"], mtu: 65_536, addr_info: [] },
  {
    ifname: "wg7",
    flags: ["POINTOPOINT", "MULTICAST", "NOARP", "UP", "LOWER_UP"],
    mtu: 1380,
    addr_info: [
      { family: "inet", local: "10.9.0.5", prefixlen: 32, scope: "global" },
      { family: "inet6", local: "fd00::5", prefixlen: 64, scope: "global", nodad: true },
      { family: "inet6", local: "fe80::6841:8c80:2487:8f3c", prefixlen: 64, scope: "link" },
    ],
  },
]);

const seen: Observed = {
  interfaces: parseInterfaces(addresses),
  devices: new Map([["wg7", parseDump(dump)]]),
  made: new Map([["wg7", { by: "kernel", endpoints: { [peerKey]: "[2001:db8:0::1]:51820" } }]]),
  owned: new Set(),
  processes: [],
};
const withDevice = (device: Partial<Device>): Observed => ({
  ...seen,
  devices: new Map([["wg7", { ...seen.devices.get("wg7")!, ...device }]]),
});

test("what wg and ip print is read", () => {
  expect(seen.devices.get("wg7")).toEqual({
    privateKey,
    listenPort: 55_930,
    mark: 0x8000_0002,
    peers: [
      {
        publicKey: peerKey,
        presharedKey,
        endpoint: "[2001:db8::1]:51820",
        allowedIps: ["10.9.0.0/24", "fd00::/64"],
        lastHandshakeMs: 1_794_731_000_000,
        rxBytes: 92,
        txBytes: 180,
        keepaliveSec: 5,
      },
    ],
  });
  expect(parseDump("(none)\t(none)\t53470\toff\nPEER=\t(none)\t(none)\t(none)\t0\t0\t0\toff\n")).toMatchObject({
    privateKey: null,
    mark: 0,
    peers: [{ presharedKey: null, endpoint: null, allowedIps: [], lastHandshakeMs: null, keepaliveSec: 0 }],
  });
  expect(seen.interfaces.get("wg7")).toEqual({ isUp: true, mtu: 1380, addresses: ["10.9.0.5/32", "fd00::5/64"] });
});

test("a link that is as it should be is left alone, however its addresses are written", () => {
  expect(wireguardChanges([link], seen)).toEqual([]);
});

test("WireGuard: a peer that roamed keeps its endpoint; a changed endpoint is set", () => {
  const [peer] = seen.devices.get("wg7")!.peers;
  const moved = withDevice({ peers: [{ ...peer!, endpoint: "203.0.113.9:999" }] });
  expect(wireguardChanges([link], moved)).toEqual([]);
  const elsewhere = { ...link, peers: [{ ...link.peers[0]!, endpoint: "198.51.100.1:51820" }] };
  expect(wireguardChanges([elsewhere], moved)).toMatchObject([
    {
      kind: "alter",
      alteration: { conf: expect.stringContaining("Endpoint = 198.51.100.1:51820") as string, lines: [] },
    },
  ]);
});

test("WireGuard: a wrong mark is corrected without changing port or endpoints, and reported without keys", () => {
  const [change] = wireguardChanges([link], withDevice({ mark: 0, privateKey: "OTHER=" }));
  expect(change).toMatchObject({ kind: "alter", alteration: { lines: [] } });
  const { alteration } = change as Extract<typeof change, { kind: "alter" }>;
  expect(alteration.conf).toContain("ListenPort = 55930\n");
  expect(alteration.conf).not.toContain("Endpoint");
  expect(JSON.stringify(alteration.drift)).not.toMatch(/PRIVATE|OTHER|SHARED/);
  expect(alteration.drift.map(({ field }) => field)).toEqual(["private key", "mark"]);
});

/** Arbitrary changes of an interface by another program. */
const standing: fc.Arbitrary<Observed> = fc
  .record({
    link: fc.record({ isUp: fc.boolean(), mtu: fc.constantFrom(1380, 1500), addresses: fc.subarray(["10.9.0.5/32"]) }),
    device: fc.record({
      privateKey: fc.constantFrom("PRIVATE=", "OTHER="),
      mark: fc.constantFrom(0x8000_0002, 0),
      listenPort: fc.constantFrom(1, 55_930),
      peers: fc.uniqueArray(
        fc.record({
          publicKey: fc.constantFrom("PEER=", "UNKNOWN="),
          presharedKey: fc.constantFrom(null, "SHARED=", "OTHERSHARED="),
          endpoint: fc.constantFrom(null, "[2001:db8::1]:51820"),
          allowedIps: fc.subarray(["10.9.0.0/24", "fd00::/64"]),
          keepaliveSec: fc.constantFrom(0, 5),
        }),
        { selector: ({ publicKey }) => publicKey },
      ),
    }),
    isMade: fc.boolean(),
  })
  .map(({ link: seenLink, device, isMade }) => ({
    interfaces: new Map([["wg7", seenLink]]),
    devices: new Map([["wg7", device as unknown as Device]]),
    made: isMade ? seen.made : new Map(),
    owned: new Set<string>(),
    processes: [],
  }));

test("WireGuard: drift never contains a private or preshared key", () => {
  const reported: string[] = [];
  const engine = wireguard({} as Parameters<typeof wireguard>[0]);
  fc.assert(
    fc.property(standing, fc.constantFrom([link], []), (now, wanted) => {
      const text = JSON.stringify(engine.drift(wireguardChanges(wanted, now), now));
      reported.push(text);
      expect(text).not.toMatch(/PRIVATE|OTHER|SHARED/);
    }),
    { numRuns: 500 },
  );
  for (const field of ["private key", "peer PEER=", "another preshared key", "peer UNKNOWN=", "interface", "endpoint"])
    expect(reported.some((text) => text.includes(field))).toBe(true);
});

test("a fresh interface gets addresses and size before it is up", () => {
  const fresh: Observed = { ...seen, interfaces: new Map([["wg7", { isUp: false, mtu: 1420, addresses: [] }]]) };
  expect(wireguardChanges([link], fresh)).toMatchObject([
    {
      alteration: {
        lines: [
          "address add 10.9.0.5/32 dev wg7",
          "address add fd00:0::5/64 dev wg7 nodad",
          "link set dev wg7 mtu 1380",
          "link set dev wg7 addrgenmode none",
          "link set dev wg7 up",
        ],
      },
    },
  ]);
});

test("missing links are made, unwanted ones removed, foreign ones and those that rest left alone", () => {
  const kept = (kind: "backoff" | "restartable"): Observed["processes"] => [
    {
      name: "wireguard.wg7",
      digest: "",
      crashes: 1,
      reason: null,
      condition: kind === "restartable" ? { kind } : { kind, untilMs: 1 },
    },
  ];
  const gone: Observed = { ...seen, interfaces: new Map() };
  expect(wireguardChanges([link], gone)).toEqual([{ kind: "make", link }]);
  expect(wireguardChanges([link], { ...gone, processes: kept("restartable") })).toEqual([{ kind: "make", link }]);
  expect(wireguardChanges([link], { ...gone, processes: kept("backoff") })).toEqual([]);
  expect(wireguardChanges([], seen)).toEqual([{ kind: "remove", interface: "wg7" }]);
  expect(wireguardChanges([link], { ...seen, made: new Map() })).toEqual([]);
  expect(wireguardChanges([], { ...seen, made: new Map() })).toEqual([]);
  const diedAndTaken: Observed = {
    ...seen,
    made: new Map([["wg7", { by: "program", endpoints: {} }]]),
    processes: kept("restartable"),
  };
  expect(wireguardChanges([link], diedAndTaken)).toEqual([]);
});

test("a configuration says everything there is to say, and nothing twice", () => {
  expect(renderConf({ ...link, listenPort: 51_820 }, { listenPort: 7, withEndpoint: () => true })).toBe(`[Interface]
PrivateKey = PRIVATE=
FwMark = 0x80000002
ListenPort = 51820

[Peer]
PublicKey = PEER=
PresharedKey = SHARED=
AllowedIPs = 10.9.0.5/24, fd00:0::1/64
Endpoint = [2001:db8:0::1]:51820
PersistentKeepalive = 5
`);
});

test("an address has one key however it is written, and two addresses have two", () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  const long = (it: readonly number[]) => it.map((group) => group.toString(16).padStart(4, "0")).join(":");
  const short = (it: readonly number[]) => new URL(`http://[${long(it)}]/`).hostname.slice(1, -1);
  fc.assert(
    fc.property(groups, groups, fc.integer({ min: 0, max: 128 }), (one, other, length) => {
      expect(addressKey(`${long(one)}/${length}`)).toBe(addressKey(`${short(one)}/${length}`));
      expect(addressKey(long(one)) === addressKey(long(other))).toBe(long(one) === long(other));
      expect(networkKey(`${long(one)}/0`)).toBe(networkKey("::/0"));
    }),
  );
  expect(networkKey("10.9.8.7/16")).toBe(networkKey("10.9.0.0/16"));
  expect(networkKey("10.9.8.7/16")).not.toBe(networkKey("10.8.0.0/16"));
  expect(addressKey("::ffff:10.0.0.1")).toBe(addressKey("::ffff:a00:1"));
  expect(["nonsense", "1.2.3", "1::2::3", "1.2.3.4/33"].map(networkKey)).toEqual([
    "nonsense",
    "1.2.3",
    "1::2::3",
    "1.2.3.4/33",
  ]);
});

test("what a program answers means the same as what wg says of it", () => {
  const key = (byte: string) => byte.repeat(32);
  const answer = parseAnswer([
    `private_key=${key("01")}`,
    "listen_port=53470",
    "fwmark=2147483649",
    `public_key=${key("02")}`,
    `preshared_key=${key("00")}`,
    "protocol_version=1",
    "endpoint=[2001:db8::1]:51820",
    "last_handshake_time_sec=1794732711",
    "last_handshake_time_nsec=5",
    "tx_bytes=7",
    "rx_bytes=9",
    "persistent_keepalive_interval=25",
    "allowed_ip=0.0.0.0/0",
    "allowed_ip=::/0",
    `public_key=${key("03")}`,
    `preshared_key=${key("04")}`,
    "last_handshake_time_sec=0",
  ]);
  const [own, first, second, shared] = ["AQ", "Ag", "Aw", "BA"].map((it) => btoa(atob(`${it}==`).repeat(32)));
  const said = [
    `${own}\tPUBLIC=\t53470\t0x80000001`,
    `${first}\t(none)\t[2001:db8::1]:51820\t0.0.0.0/0,::/0\t1794732711\t9\t7\t25`,
    `${second}\t${shared}\t(none)\t(none)\t0\t0\t0\toff`,
  ];
  expect(answer).toEqual(parseDump(`${said.join("\n")}\n`));
});
