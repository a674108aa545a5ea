import { pem, staticKey, wireguardKey } from "./tunnels.ts";

/** Numbers in [0, 1). */
type Random = () => number;

/** LAN interfaces that the gateway of such a document needs. */
export const documentNetwork = { wan_iface: "eth0", lan_iface: "eth1", more_lan_ifaces: ["eth2"] };

/** A document with every section: names, references and values differ, and each reference has its resource. */
export function randomDocument(random: Random): Record<string, unknown> {
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const flip = () => random() < 0.5;
  const count = (max: number) => 1 + Math.floor(random() * max);
  const number = (max: number) => Math.floor(random() * max);
  const word = () => pick("Küche", "kids", "TV 2", "Büro", "日本", "guests", "n·a·s", 'q"uote', "no: yaml");
  const named = <T>(max: number, make: (index: number) => T): (T & { name: string })[] =>
    Array.from({ length: count(max) }, (_, index) => ({ ...make(index), name: `${word()} ${index}` }));
  const one = (from: readonly { readonly name: string }[]) => from[number(from.length)]!.name;
  const maybe = <T>(value: T): T | null => (flip() ? value : null);
  const password = () => `p${number(1e9)}`;
  const login = () => (flip() ? { username: "me", password: password() } : {});

  const schedules = named(2, () => ({
    days: pick(["monday"], ["saturday", "sunday"]),
    from: "08:00",
    to: pick("07:00", "20:30"),
  }));
  const privacy_classes = named(3, () => ({
    description: word(),
    dns_mode: pick("off", "device", "system"),
    force_dns: flip(),
    require_tunnel: flip(),
    log_level: pick("full", "counts", "none"),
  }));
  const wireguard = named(3, (index) => ({
    type: "wireguard",
    interface: `wg${index}`,
    enabled: flip(),
    mtu: maybe(1400),
    probe_target: pick(null, "none", "192.0.2.1"),
    config: {
      private_key: wireguardKey(),
      addresses: [`10.2.${index}.2/32`],
      dns: flip() ? ["10.2.0.1"] : [],
      peers: [
        {
          public_key: wireguardKey(),
          endpoint: maybe("nl.example.net:51820"),
          persistent_keepalive: number(60),
          ...(flip() && { preshared_key: wireguardKey() }),
        },
      ],
    },
  }));
  const openvpn = {
    name: "office",
    type: "openvpn",
    config: {
      remotes: [{ host: "vpn.example.org", port: 1194, protocol: pick("udp", "tcp") }],
      directives: [{ name: "remote-cert-tls", args: ["server"] }],
      blocks: { ca: pem("CERTIFICATE", "CA"), "tls-auth": staticKey("a") },
      username: "me",
      password: password(),
    },
  };
  const tunnels = [...wireguard, openvpn];
  const proxies = [
    { name: "near", kind: "local", listen: "192.0.2.1:1080", ...login(), tunnel_id: one(tunnels) },
    { name: "far", kind: "upstream", address: `192.0.2.7:${1080 + number(9)}`, ...login(), enabled: flip() },
  ];
  const profiles = named(2, () => ({ hops: [{ type: "vpn", target: one(tunnels) }], splitting: false }));
  const device_groups = named(3, () => ({ description: word() }));
  const trust_classes = named(2, () => ({ level: number(100), default_privacy_class: maybe(one(privacy_classes)) }));
  const devices = named(6, (index) => ({
    mac: maybe(`02:00:00:00:00:0${index}`),
    ips: flip() ? [`192.0.2.${10 + index}`, "2001:db8::7"] : [],
    trust_class: maybe(one(trust_classes)),
    privacy_class: maybe(one(privacy_classes)),
    group_ids: flip() ? [one(device_groups)] : [],
    ...(flip() && { force_dns: flip() }),
    state: pick("known", "new", "quarantined"),
  }));
  const source = () =>
    pick<{ source_type: string; source_value: string }>(
      { source_type: "everyone", source_value: "" },
      { source_type: "device", source_value: one(devices) },
      { source_type: "device_group", source_value: one(device_groups) },
      { source_type: "privacy_class", source_value: one(privacy_classes) },
      { source_type: "subnet", source_value: "192.0.2.0/25" },
    );
  const zones = [{ name: "home.example", ttl_sec: number(9000), fill_from_devices: flip() }, { name: "b.example" }];
  return {
    secrets: named(2, () => ({ value: password(), description: word() })),
    schedules,
    privacy_classes,
    tunnels,
    vlans: [{ name: "cameras", parent: "eth9", vlan_id: 10 + number(9), addresses: ["192.0.2.129/28"] }],
    bridges: [{ name: "ports", members: flip() ? ["eth7"] : [], stp: flip() }],
    segments: [{ interface: "eth1", name: "family", reaches: flip() ? ["eth2"] : [] }],
    proxies,
    splitting_endpoints: [{ tunnel_id: one(wireguard), weight: 1 + number(9), name: maybe("first") }],
    profiles,
    trust_classes,
    device_groups,
    devices,
    routing_policies: named(4, (index) => ({
      ...pick<object>(
        { source_type: "all" },
        { source_type: "device", source_value: one(devices) },
        { source_type: "device_group", source_value: one(device_groups) },
        { source_type: "domain", source_value: "video.example" },
      ),
      priority: 10 * index,
      enabled: flip(),
      ...(flip() ? { profile_id: one(profiles) } : { hops: [{ type: "proxy", target: "far" }] }),
      fail_policy: pick("fail-closed", "fail-over"),
    })),
    dns_zones: zones,
    dns_records: [
      { zone_id: "home.example", name: "nas", type: "A", value: `192.0.2.${number(200)}`, ttl_sec: maybe(60) },
      { zone_id: "b.example", name: "@", type: "TXT", value: '"hello"' },
    ],
    dns_forwarders: named(2, () => ({ address: pick("192.0.2.53", "2001:db8::53"), priority: number(200) })),
    dns_lists: named(2, (index) => ({
      url: `https://lists.example/${index}`,
      category: pick("ads", "malware"),
      enabled: flip(),
      ...source(),
    })),
    dns_filter_rules: named(4, (index) => ({
      action: pick("allow", "block"),
      match: pick("exact", "suffix", "wildcard"),
      pattern: `r${index}.example`,
      schedule_id: maybe(one(schedules)),
      ...source(),
    })),
    dns_allow_entries: [{ domain: "good.example", ...source(), note: word() }],
    dns_block_entries: [{ domain: "bad.example", ...source() }],
    dns_rewrites: [
      { domain: "nas.example", answer: "A", value: "192.0.2.9", match: pick("exact", "suffix"), ...source() },
    ],
    alert_channels: [
      {
        name: "mail",
        type: "email",
        enabled: flip(),
        host: "mail.example",
        from: "a@example.net",
        to: ["b@example.net"],
        ...login(),
      },
      { name: "hook", type: "webhook", url: "https://hook.example/x", ...(flip() && { secret: password() }) },
      { name: "chat", type: "telegram", chat_id: "-1001", bot_token: `12:${password()}` },
    ],
    alert_rules: [{ id: pick("tunnel-down", "new-device"), severity: pick("info", "critical"), threshold: count(9) }],
    settings: [{ id: "pq_crypto_mode", value: pick("default", "preferred") }],
    uplinks: { uplinks: [{ name: "fibre", interface: "eth0", priority: number(99) }] },
    dhcp: { ranges: [{ interface: "eth1", first: "192.0.2.20", last: "192.0.2.29", lease_sec: 600 + number(600) }] },
    router_advertisements: { interfaces: flip() ? [{ interface: "eth1" }] : [] },
    privacy: { dns_mode: pick("device", "system"), block_doh: flip() },
    leak_monitor: { delay_sec: 1 + number(50) },
    dns_options: { rate_limit_qps: number(99), rebinding_allowed: flip() ? ["home.example"] : [] },
    dns_rotation: { mode: pick("round-robin", "random") },
    dns_extfilter: { url: "http://127.0.0.1:3000", dns_address: "192.0.2.5:5300", ...login() },
    mqtt: { host: "broker.example", ...login(), pause_switch_min: maybe(30) },
    anomaly_detection: { sensitivity: pick("low", "medium", "high"), enabled: flip() },
  };
}
