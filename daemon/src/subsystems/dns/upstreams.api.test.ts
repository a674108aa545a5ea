import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

test("forwarders: used for all names, or for given domains", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const made = await client.dnsForwarders.create({ body: { name: "Quad9", address: "9.9.9.9" } });
  expect(made).toEqual({
    id: made.id,
    name: "Quad9",
    address: "9.9.9.9",
    enabled: true,
    port: null,
    protocol: "plain",
    server_name: null,
    path: "/dns-query",
    domains: [],
    post_quantum: false,
    priority: 100,
  });
  const office = await client.dnsForwarders.create({
    body: {
      name: "Office",
      address: "2001:DB8::53",
      protocol: "doh",
      server_name: "DNS.office.example",
      domains: ["*.Office.example", "office.example."],
      post_quantum: true,
    },
  });
  expect(office).toMatchObject({
    address: "2001:db8::53",
    server_name: "dns.office.example",
    domains: ["office.example"],
  });
  expect((await client.dnsForwarders.list({ query: { protocol: "doh" } })).items).toEqual([office]);
});

test.each([
  ["server_name", { server_name: "a.example" }],
  ["post_quantum", { post_quantum: true }],
  ["domains.1", { domains: ["a.example", "b b"] }],
  ["address", { address: "dns.example" }],
  ["port", { port: 0 }],
  ["path", { path: "dns-query" }],
])("forwarders: a forwarder with a wrong %s is refused by it", async (field, body) => {
  await using gateway = await startGateway();
  const valid = { name: "F", address: "192.0.2.53" };
  const reply = await gateway.request("POST", "/dns/forwarders", { body: { ...valid, ...body } });
  expect([reply.status, reply.json().error?.details.fields[0].field]).toEqual([400, `body.${field}`]);
  expect((await gateway.request("POST", "/dns/forwarders", { body: valid })).status).toBe(201);
  expect((await gateway.request("POST", "/dns/forwarders", { body: valid })).status).toBe(409);
});

test("rotation: the default is round-robin", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  expect(await client.dnsRotation.get()).toEqual({ mode: "round-robin" });
  expect(await client.dnsRotation.put({ body: { mode: "failover" } })).toEqual({ mode: "failover" });
  expect((await client.dns.status()).rotation).toBe("failover");
  expect((await gateway.request("PUT", "/dns/rotation", { body: { mode: "best" } })).status).toBe(400);
});
