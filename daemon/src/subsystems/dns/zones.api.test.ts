import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const code = async (gateway: TestGateway, method: string, path: string, body?: unknown) => {
  const reply = await gateway.request(method, path, body === undefined ? {} : { body });
  return reply.json().error?.code ?? reply.status;
};

test("DNS zones: a zone's serial grows with every change of it or of its records", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { id } = await client.dnsZones.create({ body: { name: "Home.Example." } });
  const other = await client.dnsZones.create({ body: { name: "other.example", fill_from_devices: true } });
  const serials = async () => [
    (await client.dnsZones.get({ params: { id } })).serial,
    (await client.dnsZones.get({ params: { id: other.id } })).serial,
  ];
  expect(await serials()).toEqual([1, 1]);
  const record = await client.dnsRecords.create({
    body: { zone_id: "home.example", name: "www.home.example", type: "A", value: "192.0.2.7" },
  });
  expect(record).toEqual({
    id: record.id,
    zone_id: id,
    zone_name: "home.example",
    name: "www",
    type: "A",
    value: "192.0.2.7",
    ttl_sec: null,
  });
  expect(await serials()).toEqual([2, 1]);
  const listed = (zone_id: string) => client.dnsRecords.list({ query: { zone_id } });
  for (const zone of ["Home.example", id]) expect((await listed(zone)).items).toEqual([record]);
  expect((await listed(other.id)).items).toEqual([]);
  const params = { id: record.id };
  await client.dnsRecords.update({ params, body: { ttl_sec: 60 } });
  expect(await serials()).toEqual([3, 1]);
  await client.dnsRecords.update({ params, body: { zone_id: other.id } });
  expect(await serials()).toEqual([4, 2]);
  await client.dnsRecords.remove({ params });
  expect(await serials()).toEqual([4, 3]);
  await client.dnsZones.update({ params: { id }, body: { ttl_sec: 300 } });
  expect(await serials()).toEqual([5, 3]);
  const audited = (await client.audit.list({ query: { resource_type: "dns_record" } })).items;
  expect(audited.map(({ resource_id }) => resource_id)).toEqual(Array.from({ length: 4 }, () => record.id));
});

test("DNS zones: a zone takes its records with it", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { id } = await client.dnsZones.create({ body: { name: "2.0.192.in-addr.arpa" } });
  const kept = await client.dnsZones.create({ body: { name: "home.example" } });
  await client.dnsRecords.create({ body: { zone_id: id, name: "7", type: "PTR", value: "nas.home.example." } });
  await client.dnsRecords.create({ body: { zone_id: kept.id, name: "@", type: "A", value: "192.0.2.7" } });
  await client.dnsZones.remove({ params: { id } });
  expect((await client.dnsRecords.list()).items).toMatchObject([{ zone_id: kept.id, name: "@" }]);
  expect((await client.dnsZones.list()).items).toHaveLength(1);
});

test("DNS zones: names of records are kept as they stand below their zone", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await client.dnsZones.create({ body: { name: "home.example" } });
  const kept = async (name: string) =>
    (await client.dnsRecords.create({ body: { zone_id: "home.example", name, type: "TXT", value: `"${name}"` } })).name;
  expect(await kept("@")).toBe("@");
  expect(await kept("home.example.")).toBe("@");
  expect(await kept("*")).toBe("*");
  expect(await kept("*.Lab.home.example")).toBe("*.lab");
  expect(await kept("_sip._tcp")).toBe("_sip._tcp");
  const lab = await client.dnsRecords.list({ query: { name: "lab", type: "TXT" } });
  expect(lab.items).toHaveLength(1);
  const make = (body: object) =>
    code(gateway, "POST", "/dns/records", { zone_id: "home.example", type: "A", value: "192.0.2.7", ...body });
  expect(await make({ name: "elsewhere.example." })).toBe("invalid_request");
  expect(await make({ name: "a b" })).toBe("invalid_request");
  expect(await make({ name: "a", type: "AXFR" })).toBe("invalid_request");
  expect(await make({ name: "a", zone_id: "absent.example" })).toBe("invalid_request");
  expect(await make({ name: "a" })).toBe(201);
  expect(await make({ name: "a.home.example" })).toBe("conflict");
});

test("DNS zones: two zones do not share a name", async () => {
  await using gateway = await startGateway();
  expect(await code(gateway, "POST", "/dns/zones", { name: "home.example" })).toBe(201);
  expect(await code(gateway, "POST", "/dns/zones", { name: "HOME.example." })).toBe("conflict");
  expect(await code(gateway, "POST", "/dns/zones", { name: "no zone" })).toBe("invalid_request");
});
