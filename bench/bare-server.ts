import { randomUUIDv7 } from "node:crypto";
import { Device } from "@portcullis/contract/subsystems/devices";
import Fastify from "fastify";
import Type from "typebox";
import { reportCpu } from "./cpu.ts";
import { sampleDevice } from "./sample.ts";

/** The framework with its schema serialiser and the devices in memory, without validation or authentication. */
const blank = {
  state: "known",
  trust_class: null,
  privacy_class: null,
  profile_id: null,
  group_ids: [],
  force_dns: null,
  block_doh: null,
  block_ipv6: null,
  block_webrtc: null,
  last_seen: null,
};
const devices = Array.from({ length: 10_000 }, (_, n) => ({
  id: randomUUIDv7(),
  ...sampleDevice(n),
  ...blank,
  first_seen: "2026-01-01T00:00:00.000Z",
}));
const byId = new Map<string, (typeof devices)[number]>(devices.map((device) => [device.id, device]));

const app = Fastify();
app.get("/devices/:id", { schema: { response: { 200: plain(Device) } } }, async ({ params }) =>
  byId.get((params as { id: string }).id),
);
app.get("/devices", { schema: { response: { 200: plain(Type.Array(Device)) } } }, async ({ query }) =>
  devices.slice(0, Number((query as { limit: string }).limit)),
);
await app.listen({ port: 0, host: "127.0.0.1" });
reportCpu();
const { port } = app.server.address() as { port: number };
process.send!({ port, paths: { one: `/devices/${devices[5000]!.id}`, page: "/devices?limit=100" } });

/** The serialiser's validator rejects the contract's annotations. */
function plain(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === "x-references" || key === "format" ? undefined : value)),
  ) as object;
}
