import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const unknownId = "00000000-0000-7000-8000-000000000000";

test("references: counted by kind, for an id or a name, in both forms of the kind", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const strict = await client.privacyClasses.create({ body: { name: "Strict & safe" } });
  const guest = await client.trustClasses.create({
    body: { name: "Guest", default_privacy_class: strict.id },
  });
  await client.devices.create({ body: { name: "TV", privacy_class: strict.id, trust_class: guest.id } });
  await client.devices.create({ body: { name: "Lamp", privacy_class: strict.id } });

  for (const type of ["privacy_class", "privacy-class"])
    for (const word of [strict.id, encodeURIComponent("Strict & safe")])
      expect((await gateway.request("GET", `/references/${type}/${word}`)).json()).toEqual({
        type: "privacy_class",
        id: strict.id,
        name: "Strict & safe",
        referenced_by: { devices: 2, trust_classes: 1 },
        total: 3,
      });
  for (const type of ["trust_class", "trust-class"])
    expect((await gateway.request("GET", `/references/${type}/Guest`)).json()).toEqual({
      type: "trust_class",
      id: guest.id,
      name: "Guest",
      referenced_by: { devices: 1 },
      total: 1,
    });
});

test("references: what nothing refers to has no counts, and counts follow changes", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const guest = await client.trustClasses.create({ body: { name: "Guest" } });
  const show = () => client.references.show({ params: { type: "trust_class", id: guest.id } });
  const unused = { type: "trust_class", id: guest.id, name: "Guest", referenced_by: {}, total: 0 };
  expect(await show()).toEqual(unused);
  const tv = await client.devices.create({ body: { name: "TV", trust_class: guest.id } });
  expect((await show()).total).toBe(1);
  await client.devices.remove({ params: { id: tv.id } });
  expect(await show()).toEqual(unused);
});

test("references: an object that is not there is not found, whatever its type", async () => {
  await using gateway = await startGateway();
  const types = ["profile", "privacy_class", "privacy-class", "trust_class", "trust-class", "tunnel", "proxy"];
  for (const type of types)
    for (const word of [unknownId, "Absent"]) {
      const missing = await gateway.request("GET", `/references/${type}/${word}`);
      expect(missing.status).toBe(404);
      expect(missing.json().error).toMatchObject({
        code: "not_found",
        details: { id: word },
      });
    }
  expect((await gateway.request("GET", `/references/device/${unknownId}`)).status).toBe(400);
});
