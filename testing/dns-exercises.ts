import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";

type Gateway = Client<GatewayApi>;
type Exercise = (client: Gateway) => Promise<() => Promise<unknown>>;

let serial = 0;
const domain = () => `d${(serial += 1)}.example`;
const name = () => `Thing ${(serial += 1)}`;

const zone = async (client: Gateway) => (await client.dnsZones.create({ body: { name: domain() } })).id;
const record = async (client: Gateway) =>
  client.dnsRecords.create({ body: { zone_id: await zone(client), name: "www", type: "A", value: "192.0.2.7" } });
const list = (client: Gateway) => client.dnsPresets.create({ body: { name: name(), enabled: false } });
const rule = () => ({ name: name(), action: "block", match: "suffix", pattern: domain() }) as const;
const forwarder = () => ({ name: name(), address: "192.0.2.53" });

/** The three calls that change a resource, each on a new one. */
const lifecycle = <S extends string>(
  subsystem: S,
  make: (client: Gateway) => Promise<{ id: string }>,
  change: (client: Gateway, id: string) => Promise<unknown>,
  remove: (client: Gateway, id: string) => Promise<unknown>,
): Record<string, Exercise> => ({
  [`${subsystem}.create`]: async (client) => () => make(client),
  [`${subsystem}.update`]: async (client) => {
    const { id } = await make(client);
    return () => change(client, id);
  },
  [`${subsystem}.remove`]: async (client) => {
    const { id } = await make(client);
    return () => remove(client, id);
  },
});

/** One successful call of every DNS endpoint that changes something. */
export const dnsExercises: Readonly<Record<string, Exercise>> = {
  ...lifecycle(
    "dnsFilterRules",
    (client) => client.dnsFilterRules.create({ body: rule() }),
    (client, id) => client.dnsFilterRules.update({ params: { id }, body: { enabled: false } }),
    (client, id) => client.dnsFilterRules.remove({ params: { id } }),
  ),
  ...lifecycle(
    "dnsAllowlist",
    (client) => client.dnsAllowlist.create({ body: { domain: domain() } }),
    (client, id) => client.dnsAllowlist.update({ params: { id }, body: { note: "because" } }),
    (client, id) => client.dnsAllowlist.remove({ params: { id } }),
  ),
  ...lifecycle(
    "dnsBlocklist",
    (client) => client.dnsBlocklist.create({ body: { domain: domain() } }),
    (client, id) => client.dnsBlocklist.update({ params: { id }, body: { note: "because" } }),
    (client, id) => client.dnsBlocklist.remove({ params: { id } }),
  ),
  ...lifecycle(
    "schedules",
    (client) => client.schedules.create({ body: { name: name(), days: ["monday"], from: "21:00", to: "07:00" } }),
    (client, id) => client.schedules.update({ params: { id }, body: { to: "08:00" } }),
    (client, id) => client.schedules.remove({ params: { id } }),
  ),
  "dnsServices.set": async (client) => () =>
    client.dnsServices.set({ params: { id: "tiktok" }, body: { action: "block" } }),
  ...lifecycle(
    "dnsRewrites",
    (client) => client.dnsRewrites.create({ body: { domain: domain(), answer: "NXDOMAIN" } }),
    (client, id) => client.dnsRewrites.update({ params: { id }, body: { enabled: false } }),
    (client, id) => client.dnsRewrites.remove({ params: { id } }),
  ),
  ...lifecycle(
    "dnsZones",
    (client) => client.dnsZones.create({ body: { name: domain() } }),
    (client, id) => client.dnsZones.update({ params: { id }, body: { ttl_sec: 60 } }),
    (client, id) => client.dnsZones.remove({ params: { id } }),
  ),
  "dnsRecords.create": async (client) => {
    const zone_id = await zone(client);
    return () => client.dnsRecords.create({ body: { zone_id, name: "www", type: "A", value: "192.0.2.7" } });
  },
  "dnsRecords.update": async (client) => {
    const { id } = await record(client);
    return () => client.dnsRecords.update({ params: { id }, body: { value: "192.0.2.8" } });
  },
  "dnsRecords.remove": async (client) => {
    const { id } = await record(client);
    return () => client.dnsRecords.remove({ params: { id } });
  },
  ...lifecycle(
    "dnsForwarders",
    (client) => client.dnsForwarders.create({ body: forwarder() }),
    (client, id) => client.dnsForwarders.update({ params: { id }, body: { protocol: "dot" } }),
    (client, id) => client.dnsForwarders.remove({ params: { id } }),
  ),
  "dnsRotation.put": async (client) => () => client.dnsRotation.put({ body: { mode: "fastest" } }),
  ...lifecycle(
    "dnsPresets",
    list,
    (client, id) => client.dnsPresets.update({ params: { id }, body: { category: "ads" } }),
    (client, id) => client.dnsPresets.remove({ params: { id } }),
  ),
  "dnsCatalog.choose": async (client) => {
    const [offer] = await client.dnsCatalog.list();
    return () => client.dnsCatalog.choose({ body: { name: offer!.name } });
  },
  "dnsPresets.upload": async (client) => {
    const { id } = await list(client);
    return () => client.dnsPresets.upload({ params: { id }, body: "ads.example\n" });
  },
  "dnsPresets.refresh": async (client) => {
    const { id } = await list(client);
    return () => client.dnsPresets.refresh({ params: { id } });
  },
  "dnsOptions.put": async (client) => () => client.dnsOptions.put({ body: { dnssec: false } }),
  "dnsExtfilter.put": async (client) => () =>
    client.dnsExtfilter.put({
      body: { dns_address: "192.0.2.5:53", username: "ada", password: "hush, hush, not a word" },
    }),
  "dnsExtfilter.enable": async (client) => {
    await client.dnsExtfilter.put({ body: { dns_address: "192.0.2.5:53" } });
    return () => client.dnsExtfilter.enable();
  },
  "dnsExtfilter.disable": async (client) => () => client.dnsExtfilter.disable(),
  "dns.flush": async (client) => () => client.dns.flush(),
  "dns.block": async (client) => () => client.dns.block({ body: { domains: [domain(), domain()] } }),
  "dns.unblock": async (client) => {
    const domains = [domain()];
    await client.dns.block({ body: { domains } });
    return () => client.dns.unblock({ body: { domains } });
  },
};
