import { once } from "node:events";
import { type Endpoint, endpoint } from "@portcullis/contract/endpoint";
import Type from "typebox";
import { expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { createApiServer } from "../../../testing/api-server.ts";
import { openRawConnection, wire } from "../../../testing/raw-http.ts";

const quick = endpoint({
  method: "GET",
  path: "/quick",
  role: "anyone",
  summary: "Quick",
  result: Type.Boolean(),
  errors: [],
});
const long = endpoint({ ...quick, path: "/long" });
const post = endpoint({ ...quick, method: "POST", path: "/post", body: Type.Object({}) });

/** A server with one endpoint that waits for the test. */
async function openServer() {
  const { promise: released, resolve: release } = Promise.withResolvers<boolean>();
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const api = { one: { quick, long, post } satisfies Record<string, Endpoint> };
  const app = createApiServer(api, {
    one: {
      quick: () => true,
      post: () => true,
      long: () => {
        enter();
        return released;
      },
    },
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const get = (path: string) => wire(`GET /api/v1${path} HTTP/1.1`, { host: new URL(origin).host });
  return { origin, entered, release: () => release(true), get, close: () => timed(app.close()) };
}

async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = ownSec();
  await work;
  return ownSec() - startedAt;
}

test(
  "shutdown: a request in progress is answered, then its connection is closed and the stop ends",
  repeatable,
  async () => {
    const { origin, entered, release, get, close } = await openServer();
    using line = openRawConnection(origin);
    line.send(get("/long"));
    await entered;
    const closed = close();
    release();
    expect(await line.answer()).toMatchObject({ status: 200, text: "true" });
    expect(await line.rest()).toBe("");
    expectWithin(0.9, { stop: await closed });
  },
);

test("shutdown: a request during the stop gets an error in the envelope", repeatable, async () => {
  const { origin, entered, release, get, close } = await openServer();
  using line = openRawConnection(origin);
  line.send(get("/quick"));
  expect(await line.answer()).toMatchObject({ status: 200 });
  line.send(get("/long"));
  await entered;
  const closed = close();
  line.send(get("/quick"));
  // After two turns of the event loop those bytes have arrived.
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  release();
  expect(await line.answer()).toMatchObject({ status: 200 });
  expect(await line.answer()).toMatchObject({ status: 503, code: "engine_unavailable" });
  expectWithin(0.9, { stop: await closed });
});

test("shutdown: a line that waits for its next request is closed at once", repeatable, async () => {
  const { origin, get, close } = await openServer();
  using line = openRawConnection(origin);
  line.send(get("/quick"));
  await line.answer();
  expectWithin(0.5, { stop: await close() });
  expect(await line.rest()).toBe("");
});

test.each<[string, string]>([
  ["nothing at all", ""],
  ["half a request", "GET /api/v1/qui"],
  [
    "half a body",
    "POST /api/v1/post HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  ],
])("shutdown: who has said %s holds a stop up for a second and no longer", repeatable, async (_, bytes) => {
  const { origin, get, close } = await openServer();
  using line = openRawConnection(origin);
  await once(line.socket, "connect");
  if (bytes !== "") line.send(bytes);
  using other = openRawConnection(origin);
  other.send(get("/quick"));
  expect(await other.answer()).toMatchObject({ status: 200 });
  expectWithin(1.8, { stop: await close() });
  expect(await line.rest()).toBe("");
});

test("shutdown: a handler that never comes to its end does not hold a stop up either", repeatable, async () => {
  const { origin, entered, get, close } = await openServer();
  using line = openRawConnection(origin);
  line.send(get("/long"));
  await entered;
  expectWithin(1.8, { stop: await close() });
  expect(await line.rest()).toBe("");
});
