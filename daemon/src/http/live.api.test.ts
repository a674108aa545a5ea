import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { type StreamedEvent, openEventStream } from "../../../testing/event-stream.ts";

const about = (id: string) => (received: StreamedEvent) => received.data.data.resource_id === id;
const published = ({ event }: StreamedEvent) => event === "revision.published";

describe("event stream: a listener", () => {
  let gateway: TestGateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway[Symbol.asyncDispose]());

  test("hears of a change, who made it and which revision it made", async () => {
    await using listener = await openEventStream(gateway.origin);
    expect([listener.status, listener.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const { id } = await gateway.client.devices.create({ body: { name: "TV" } });
    const recorded = await listener.next(about(id));
    expect(recorded).toMatchObject({
      event: "audit.recorded",
      data: { event: "audit.recorded", data: { action: "create_device", resource_type: "device" } },
    });
    const revision = await listener.next(published);
    expect(revision.data.data).toMatchObject({ cause: "create_device", actor: "anonymous" });
    expect([Number(revision.id), revision.data.id]).toEqual([Number(recorded.id) + 1, Number(revision.id)]);
  });

  test("hears what others hear, and nothing of before", async () => {
    const before = await gateway.client.devices.create({ body: { name: "before" } });
    await using one = await openEventStream(gateway.origin);
    await using other = await openEventStream(gateway.origin);
    const { id } = await gateway.client.devices.create({ body: { name: "after" } });
    const first = await one.next(({ data }) => [before.id, id].includes(data.data.resource_id));
    expect(first.data.data.resource_id).toBe(id);
    expect(await other.next(about(id))).toEqual(first);
  });

  test("goes on where it left off, and misses nothing", async () => {
    const ids = [];
    let lastEventId: string;
    {
      await using listener = await openEventStream(gateway.origin);
      const { id } = await gateway.client.devices.create({ body: { name: "received" } });
      lastEventId = (await listener.next(about(id))).id;
    }
    for (let missed = 0; missed < 20; missed += 1)
      ids.push((await gateway.client.devices.create({ body: { name: `missed ${missed}` } })).id);
    await using listener = await openEventStream(gateway.origin, { "last-event-id": lastEventId });
    ids.push((await gateway.client.devices.create({ body: { name: "live again" } })).id);
    const seen: StreamedEvent[] = [];
    for (const id of ids) seen.push(await listener.next(about(id)));
    expect(seen.map(({ data }) => data.data.resource_id)).toEqual(ids);
    expect(Number(seen[0]!.id)).toBeGreaterThan(Number(lastEventId));
  });

  test.each(["nonsense", "", "99999999999999999999"])("with the last event %j hears what comes", async (last) => {
    await using listener = await openEventStream(gateway.origin, { "last-event-id": last });
    const { id } = await gateway.client.devices.create({ body: { name: `TV after ${last}` } });
    expect(await listener.next(about(id))).toMatchObject({ event: "audit.recorded" });
  });

  test("needs a credential where one is needed", async () => {
    const auth = { enabled: true, local_net: "10.99.0.0/16", api_keys: ["the-key-of-an-admin"] };
    await using guarded = await startGateway({ config: { auth } });
    await using anonymous = await openEventStream(guarded.origin);
    await using known = await openEventStream(guarded.origin, { authorization: "Bearer the-key-of-an-admin" });
    expect([anonymous.status, known.status]).toEqual([401, 200]);
  });
});

describe("event stream: the number of listeners is limited", () => {
  const config = { limits: { event_streams: 12 } };

  test("and for one more as soon as one has left", async () => {
    await using gateway = await startGateway({ config });
    await using first = await openEventStream(gateway.origin);
    await using _second = await openEventStream(gateway.origin);
    {
      await using _third = await openEventStream(gateway.origin);
      const refused = await gateway.request("GET", "/events");
      expect([refused.status, refused.json().error]).toMatchObject([
        409,
        { code: "limit_reached", details: { limit: 3 } },
      ]);
    }
    // The daemon notices a moment after the client that the line is down.
    await using _again = await untilAdmitted(gateway);
    const { id } = await gateway.client.devices.create({ body: { name: "TV" } });
    expect(await first.next(about(id))).toMatchObject({ event: "audit.recorded" });
  });

  test("and a HEAD request does not count", async () => {
    await using gateway = await startGateway({ config });
    for (let turn = 0; turn < 10; turn += 1) {
      const { status, headers } = await gateway.request("HEAD", "/events");
      expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    }
    await using listener = await openEventStream(gateway.origin);
    expect(listener.status).toBe(200);
  });

  test("and who comes and goes a hundred times leaves nothing behind", async () => {
    await using gateway = await startGateway({ config });
    for (let turn = 0; turn < 100; turn += 1) {
      await using listener = await untilAdmitted(gateway);
      expect(listener.status).toBe(200);
    }
  });
});

async function untilAdmitted(gateway: TestGateway) {
  while (true) {
    const listener = await openEventStream(gateway.origin);
    if (listener.status === 200) return listener;
    await listener[Symbol.asyncDispose]();
  }
}

test("event stream: the streams of one viewer key and its sessions leave streams for the admin", async () => {
  const dashboard = { key: "the-key-of-a-dashboard", role: "viewer", name: "dashboard" };
  const auth = { enabled: true, local_net: "", api_keys: ["the-key-of-an-admin", dashboard] };
  await using gateway = await startGateway({ config: { auth, limits: { event_streams: 8 } } });
  await using streams = new AsyncDisposableStack();
  const open = async (headers: Record<string, string>) =>
    streams.use(await openEventStream(gateway.origin, headers)).status;
  const viewer = { authorization: `Bearer ${dashboard.key}` };
  const { headers } = await gateway.request("POST", "/auth/key-login", { body: { key: dashboard.key } });
  const session = { cookie: headers.get("set-cookie")!.split(";", 1)[0]! };
  expect([await open(viewer), await open(session), await open(viewer), await open(session)]).toEqual([
    200, 200, 409, 409,
  ]);
  expect(await open({ authorization: "Bearer the-key-of-an-admin" })).toBe(200);
});

test(
  "event stream: a stop is announced and ends every stream, and ids go on growing afterwards",
  repeatable,
  async () => {
    await using gateway = await startGateway();
    await using listener = await openEventStream(gateway.origin);
    const { id } = await gateway.client.devices.create({ body: { name: "TV" } });
    const last = await listener.next(about(id));
    const startedAt = ownSec();
    await using again = await gateway.restart();
    expectWithin(2, { restart: ownSec() - startedAt });
    expect((await listener.ended()).at(-1)).toMatchObject({ event: "daemon.stopping" });
    await using resumed = await openEventStream(again.origin, { "last-event-id": last.id });
    const { id: next } = await again.client.devices.create({ body: { name: "TV again" } });
    expect(Number((await resumed.next(about(next))).id)).toBeGreaterThan(Number(last.id));
  },
);
