import { queryOnce } from "../lab/dns-load.ts";
import { hopOf, type HopServer } from "../lab/topology-hops.ts";
import { gatewayAddress } from "../lab/topology-dns.ts";
import type { Device } from "../lab/topology-devices.ts";
import { until } from "../testing/deadline.ts";
import type { Testbed } from "./testbed.ts";

/** A gateway with sample data: every screen has something to show. */
export interface SampleData {
  readonly devices: Readonly<Record<DeviceName, string>>;
  readonly hosts: Readonly<Record<"tv" | "tablet", Device>>;
  /** Ids. */
  readonly tunnels: readonly string[];
  readonly policy: string;
}
type DeviceName = keyof typeof sampleDevices;

interface Made {
  readonly id: string;
}

const sampleDevices = {
  laptop: { name: "Ana's laptop", mac: "02:00:00:00:00:09", ips: ["10.0.0.10"], vendor: "Framework", state: "known" },
  tv: { name: "Kitchen TV", mac: "02:00:00:00:00:01", ips: ["10.0.0.2"], vendor: "Loewe", state: "known" },
  tablet: { name: "Ana's tablet", mac: "02:00:00:00:00:02", ips: ["10.0.0.3"], vendor: "Samsung", state: "known" },
  phone: { name: "Ben's phone", mac: "02:00:00:00:00:03", ips: ["10.0.0.4"], vendor: "Fairphone", state: "known" },
  printer: { name: "Printer", mac: "02:00:00:00:00:04", ips: ["10.0.0.5"], vendor: "Brother", state: "known" },
  camera: {
    name: "Porch camera",
    mac: "02:00:00:00:00:05",
    ips: ["10.0.0.6"],
    vendor: "Reolink",
    state: "quarantined",
  },
  unknownDevice: { name: "unknown-4f", mac: "02:00:00:00:00:4f", ips: ["10.0.0.79"], vendor: null, state: "new" },
} as const;

export async function loadSampleData({ topology, resolving }: Testbed): Promise<SampleData> {
  const { ok } = topology.api;
  const make = async (path: string, body: object): Promise<string> => ((await ok("POST", path, body)) as Made).id;

  await make("/privacy-classes", { name: "Private", require_tunnel: true, block_webrtc: true });
  await make("/privacy-classes", { name: "Guests", log_level: "counts" });
  await make("/trust-classes", { name: "Family", level: 80, default_privacy_class: "Private" });
  await make("/trust-classes", { name: "Visitors", level: 20, default_privacy_class: "Guests" });
  await make("/device-groups", { name: "Living room", description: "Shared devices" });
  await make("/device-groups", { name: "Children" });
  const belongs: Partial<Record<DeviceName, object>> = {
    tv: { group_ids: ["Living room"] },
    tablet: { group_ids: ["Children"], trust_class: "Family" },
    phone: { trust_class: "Family", privacy_class: "Private" },
  };
  const devices: Partial<Record<DeviceName, string>> = {};
  for (const [word, device] of Object.entries(sampleDevices) as [DeviceName, object][])
    devices[word] = await make("/devices", { ...device, ...belongs[word] });

  const [amsterdam, zurich, oslo] = [
    await topology.wireguard("Amsterdam"),
    await topology.openvpn("Zurich"),
    await topology.wireguard("Oslo"),
  ];
  await oslo.kill();
  await make("/proxies", { name: "Jump", kind: "upstream", address: "198.51.100.250:1080" });
  const failClosed = { fail_policy: "fail-closed" };
  const from = (name: string) => ({ source_type: "device", source_value: name });
  const policy = await make("/routing/policies", {
    name: "TV abroad",
    ...from("Kitchen TV"),
    priority: 10,
    hops: [hopOf(amsterdam)],
    ...failClosed,
  });
  await make("/routing/policies", {
    name: "Tablet",
    ...from("Ana's tablet"),
    priority: 20,
    hops: [hopOf(zurich)],
    ...failClosed,
  });
  await make("/routing/policies", {
    name: "Phone",
    ...from("Ben's phone"),
    priority: 30,
    hops: [hopOf(oslo)],
    ...failClosed,
  });
  await make("/routing/policies", {
    name: "All other devices",
    source_type: "all",
    priority: 100,
    hops: [{ type: "interface", target: "wan0" }],
    fail_policy: "fail-open",
  });
  await topology.apply();

  const [tv, tablet] = [await topology.net.device("tv", 1), await topology.net.device("tablet", 2)];
  for (const device of [tv, tablet]) await device.sendTraffic(20);
  for (const tunnel of [amsterdam, zurich])
    await until(`${tunnel.name} is up`, async () => (await statusOf(tunnel)) === "up", 20);
  if (resolving) await sendQueries([tv, tablet]);
  // A staged change that is not applied.
  await make("/routing/policies", {
    name: "Printer stays in",
    ...from("Printer"),
    priority: 40,
    hops: [],
    ...failClosed,
  });

  async function statusOf({ id }: HopServer): Promise<string> {
    return ((await ok("GET", `/tunnels/${id}`)) as { readonly status: string }).status;
  }
  async function sendQueries(clients: readonly Device[]): Promise<void> {
    await ok("POST", "/dns/block", { domains: ["ads.example", "tracker.example"] });
    await make("/dns/rewrites", { domain: "nas.home", match: "exact", answer: "A", value: "10.0.0.20" });
    const names = ["news.fresh.lab", "video.fresh.lab", "ads.example", "mail.fresh.lab", "tracker.example", "nas.home"];
    for (const client of clients) for (const name of names) await queryOnce(client, gatewayAddress.v4, name);
  }
  return {
    devices: devices as SampleData["devices"],
    hosts: { tv, tablet },
    tunnels: [amsterdam, zurich, oslo].map(({ id }) => id),
    policy,
  };
}
