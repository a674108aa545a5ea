import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { allUp, network, numbersInOrder } from "../../../testing/intent.ts";
import { pem, wireguardConfig } from "../../../testing/tunnels.ts";
import { allocateAll, compile, neededAllocations } from "../compiler/compile.ts";
import { factsFor } from "../compiler/input/facts.ts";
import { intentOf, type Resources } from "../compiler/input/read-document.ts";
import { renderFrontend, renderSettings } from "../engines/dnsdist/dnsdist.render.ts";
import { renderDnsProxy } from "../engines/dns-proxy/dns-proxy.render.ts";
import { renderRedirect } from "../engines/nftables/redirect/redirect.render.ts";
import { renderZone } from "../engines/nsd/zone.render.ts";
import { renderClient } from "../engines/openvpn/openvpn.render.ts";
import { renderSocksListener } from "../engines/socks-listener/socks-listener.render.ts";
import { renderRedsocks } from "../engines/redsocks/redsocks.render.ts";
import { renderStart } from "../engines/unbound/unbound.render.ts";
import { renderConf } from "../engines/wireguard/wireguard.render.ts";

/*
 * Every text field of every resource is given texts that would end a quotation, a line or a block in the file of some
 * engine. Each is refused, or stands within quotation marks wherever it is written.
 */

/** What each hostile text would do is not known here; that its word stands outside of quotation marks is enough. */
const word = "inject";
const hostile = [
  `x"${word}`,
  `x" ${word} "`,
  `x'${word}`,
  `x\\" ${word}`,
  `x\\`.concat(word),
  `x\n${word}`,
  `x\r\n${word}`,
  `x\u0000${word}`,
  `x}${word}`,
  `x; ${word}`,
  `x # ${word}`,
  `x:0:0: ${word}`,
  `$(${word})`,
  `\`${word}\``,
  `x]]..${word}..[[`,
  `</ca>${word}`,
  `x\u2028${word}`,
];

const remotes = [{ host: "192.0.2.9", port: 1194, protocol: "udp" }];
const blocks = { ca: pem("CERTIFICATE", "ca"), cert: pem("CERTIFICATE", "cert"), key: pem("PRIVATE KEY", "key") };
const directives = [{ name: "verify-x509-name", args: ["server.example", "name"] }];

/** A request that is accepted for each resource; its texts are replaced one at a time. */
const requests: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ["/devices", { name: "Device", hostname: "host", vendor: "Vendor", notes: "", ips: ["10.0.0.7"] }],
  ["/device-groups", { name: "Group" }],
  ["/privacy-classes", { name: "Class" }],
  ["/trust-classes", { name: "Trust" }],
  [
    "/tunnels",
    { name: "Wire", type: "wireguard", interface: "wg-base", config: { ...wireguardConfig(), dns: ["10.2.0.1"] } },
  ],
  [
    "/tunnels",
    {
      name: "Open",
      type: "openvpn",
      interface: "ov-base",
      config: { remotes, directives, blocks, username: "me", password: "secret" },
    },
  ],
  ["/proxies", { name: "Far", kind: "upstream", address: "192.0.2.7:1080", username: "me", password: "secret" }],
  ["/proxies", { name: "Near", kind: "local", listen: "192.168.1.1:1081", username: "me", password: "secret" }],
  ["/profiles", { name: "Profile", description: "", hops: [{ type: "vpn", target: "Wire" }] }],
  [
    "/routing/policies",
    { name: "By tunnel", source_type: "subnet", source_value: "10.1.0.0/24", hops: [{ type: "vpn", target: "Wire" }] },
  ],
  [
    "/routing/policies",
    { name: "By proxy", source_type: "subnet", source_value: "10.2.0.0/24", hops: [{ type: "proxy", target: "Far" }] },
  ],
  [
    "/routing/policies",
    {
      name: "By interface",
      source_type: "interface",
      source_value: "lan0",
      hops: [{ type: "interface", target: "eth7" }],
    },
  ],
  ["/routing/policies", { name: "Domain", source_type: "domain", source_value: "example.org" }],
  ["/dns/filter-rules", { name: "Rule", action: "block", match: "suffix", pattern: "ads.example", note: "" }],
  ["/dns/blocklist", { domain: "blocked.example", note: "" }],
  ["/dns/allowlist", { domain: "allowed.example", note: "" }],
  ["/dns/rewrites", { domain: "rewritten.example", answer: "A", value: "192.0.2.1" }],
  ["/dns/zones", { name: "zone.example" }],
  ["/dns/records", { zone_id: "zone.example", name: "txt", type: "TXT", value: '"text"' }],
  ["/dns/records", { zone_id: "zone.example", name: "caa", type: "CAA", value: '0 issue "ca.example"' }],
  ["/dns/records", { zone_id: "zone.example", name: "mx", type: "MX", value: "10 mail.example.org." }],
  [
    "/dns/forwarders",
    { name: "Upstream", address: "192.0.2.53", protocol: "doh", server_name: "dns.example", path: "/dns-query" },
  ],
  ["/dns/presets", { name: "List", url: "https://lists.example/a", enabled: false }],
];

/** Every text in a body, by its path. */
const textsIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] => {
  if (typeof value === "string") return [path];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, it]) => textsIn(it, [...path, name]));
};

function replaced(value: unknown, [first, ...rest]: readonly string[], text: string): unknown {
  if (first === undefined) return text;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[first] = replaced(copy[first], rest, text);
  return copy;
}

/** Words that a schema knows beforehand are not texts. */
const fixed = new Set(["type", "kind", "action", "match", "answer", "protocol", "source_type"]);

let serial = 0;
/** As it is, but with a name, a port and an interface that no other has. */
function fresh(body: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  serial += 1;
  const own = (field: string, value: string) => (field in body && path[0] !== field ? { [field]: value } : {});
  return {
    ...body,
    ...own("name", "zone_id" in body || !/^[A-Z]/.test(String(body["name"])) ? `n${serial}.example` : `Name ${serial}`),
    ...own("interface", `if${serial}`),
    ...own("listen", `192.168.1.1:${2000 + serial}`),
    ...own("domain", `d${serial}.example`),
    ...own("url", `https://lists.example/${serial}`),
    ...("ips" in body && path[0] !== "ips" && { ips: [] }),
  };
}

/** The complete input of the engines from a gateway's configuration. */
async function renderedBy({ client }: TestGateway): Promise<Readonly<Record<string, string>>> {
  const { id } = (await client.snapshots.list({ query: { limit: 1 } })).items[0]!;
  const resources = (await client.snapshots.get({ params: { id } })).document as unknown as Resources;
  const dns = {
    listener: { port: 53, address: null },
    upstreams: ["192.0.2.53"],
    mode: "plain" as const,
    isFiltering: true,
    caFile: "/etc/ssl/certs/ca-certificates.crt",
    anchors: [],
  };
  const intent = intentOf(resources, { ...network, dns }, []);
  const tunnelsAndProxies = [...intent.tunnels, ...intent.proxies];
  const password = `p"${word}\\`;
  const sealed = (tunnel: { config?: { kind: string } }): string => {
    if (tunnel.config === undefined) return password;
    return JSON.stringify(
      tunnel.config.kind === "wireguard"
        ? { private_key: "key", preshared_keys: {} }
        : { blocks: {}, username: `u"${word}\\`, password },
    );
  };
  const facts = factsFor(intent, {
    links: ["lan0", "wan0", "eth7"].map((name) => ({ name, up: true, mtu: 1500 })),
    conditions: allUp(tunnelsAndProxies),
    addresses: { "nl.example.net": "192.0.2.4" },
    secrets: Object.fromEntries(
      tunnelsAndProxies.map((it) => [it.secret ?? "", sealed(it as { config?: { kind: string } })]),
    ),
  });
  const allocations = allocateAll(neededAllocations({ intent, facts, resources }), numbersInOrder);
  const compilation = compile({ intent, facts, resources, neighbours: [], allocations });
  const { desired, links } = compilation;
  const { programs } = compilation.dns;
  const { nftables, rules, routes, sysctl } = await client.enforcement.render();
  return {
    nft: nftables + renderRedirect(desired.redirect),
    ip: [...rules, ...routes, ...Object.entries(sysctl).flat()].join("\n"),
    wireguard: links.wireguard
      .map((it) => renderConf(it, { listenPort: 1, withEndpoint: () => true } as never))
      .join(""),
    openvpn: links.openvpn.map((it) => renderClient(it, "/run/management")).join(""),
    redsocks: links.redsocks.map((it) => renderRedsocks(it)).join(""),
    socksListener: links.socksListener.map((it) => renderSocksListener(it, { v4: "192.0.2.2", v6: null })).join(""),
    unbound: programs.validators.map((it) => renderStart(it)).join(""),
    dnsdist: programs.frontends.map((it) => renderFrontend(it, "key") + renderSettings(it)).join(""),
    forwarder: programs.forwarders.map((it) => renderDnsProxy(it)).join(""),
    nsd: programs.zones.map((it) => renderZone(it)).join(""),
  };
}

/** What is left of a text without everything that stands within quotation marks, each on one line. */
const unquoted = (text: string): string => text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');

test("injection: the check finds a text that leaves its quotation marks", () => {
  const leaving = ['iifname "x"inject', 'login = "x\ninject";', "name inject", 'a "\\\\" inject'];
  for (const text of leaving) expect(unquoted(text)).toContain(word);
  for (const text of ['iifname "x inject"', 'login = "x\\" inject";']) expect(unquoted(text)).not.toContain(word);
});

test("injection: no text of any resource leaves its place in a file of an engine", { timeout: 300_000 }, async () => {
  await using gateway = await startGateway({ config: { network: { lan_iface: "lan0", wan_iface: "wan0" } } });
  for (const [path, body] of requests) {
    const reply = await gateway.request("POST", path, { body });
    expect([path, body["name"], reply.status]).toEqual([path, body["name"], 201]);
  }
  const outcomes = { accepted: 0, refused: 0 };
  for (const [path, body] of requests)
    for (const keys of textsIn(body).filter((it) => !fixed.has(it.at(-1)!)))
      for (const text of hostile) {
        const { status } = await gateway.request("POST", path, { body: replaced(fresh(body, keys), keys, text) });
        expect([path, keys, text, status < 500]).toEqual([path, keys, text, true]);
        outcomes[status === 201 ? "accepted" : "refused"] += 1;
      }
  expect(Math.min(outcomes.accepted, outcomes.refused)).toBeGreaterThan(100);
  await gateway.client.routing.apply();
  const texts = await renderedBy(gateway);
  const empty = Object.keys(texts).filter((engine) => texts[engine] === "");
  const leaving = Object.entries(texts).flatMap(([engine, text]) =>
    unquoted(text)
      .split("\n")
      .filter((line) => line.includes(word))
      .map((line) => [engine, line]),
  );
  expect({ empty, leaving }).toEqual({ empty: [], leaving: [] });
});
