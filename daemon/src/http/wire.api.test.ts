import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { sendRaw, openRawConnection, wire } from "../../../testing/raw-http.ts";

let gateway: TestGateway;
let host: string;
beforeAll(async () => {
  gateway = await startGateway({ config: { limits: { request_timeout_sec: 1, body_bytes: 10_000 } } });
  ({ host } = new URL(gateway.origin));
});
afterAll(() => gateway[Symbol.asyncDispose]());

const healthy = () => sendRaw(gateway.origin, wire("GET /api/v1/health HTTP/1.1", { host }));
const json = (length: number) => ({ host, "content-type": "application/json", "content-length": String(length) });

test("HTTP: a request that is well made is answered", async () =>
  expect(await healthy()).toMatchObject({ status: 200, text: '{"status":"ok"}' }));

describe("HTTP: bytes that are no request get the envelope, and the daemon lives on", () => {
  test.each<[string, number, string, () => string]>([
    ["garbage", 400, "invalid_request", () => "garbage\r\n\r\n"],
    ["an unknown method", 400, "invalid_request", () => wire("BREW /api/v1/health HTTP/1.1", { host })],
    ["a target that is no path", 400, "invalid_request", () => wire("GET api HTTP/1.1", { host })],
    ["another protocol", 400, "invalid_request", () => wire("GET /api/v1/health SPDY/3", { host })],
    ["the opening of HTTP/2", 400, "invalid_request", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["the opening of TLS", 400, "invalid_request", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
    ["a header with a space in its name", 400, "invalid_request", () => wire("GET / HTTP/1.1", { host, "a b": "c" })],
    ["a header with a control character", 400, "invalid_request", () => wire("GET / HTTP/1.1", { host, a: "b\x01" })],
    ["a folded header", 400, "invalid_request", () => wire("GET / HTTP/1.1", { host, a: "b\r\n c" })],
    ["a header too large", 400, "invalid_request", () => wire("GET / HTTP/1.1", { host, a: "b".repeat(20_000) })],
    ["a path too large", 400, "invalid_request", () => wire(`GET /${"a".repeat(20_000)} HTTP/1.1`, { host })],
    [
      "a length that is no number",
      400,
      "invalid_request",
      () => wire("POST / HTTP/1.1", { host, "content-length": "x" }),
    ],
    ["a negative length", 400, "invalid_request", () => wire("POST / HTTP/1.1", { host, "content-length": "-1" })],
    [
      "two lengths",
      400,
      "invalid_request",
      () => `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      "a length and chunks, as smugglers send them",
      400,
      "invalid_request",
      () => wire("POST / HTTP/1.1", { ...json(2), "transfer-encoding": "chunked" }, "{}"),
    ],
    [
      "a chunk without a size",
      400,
      "invalid_request",
      () =>
        wire(
          "POST /api/v1/devices HTTP/1.1",
          { host, "content-type": "application/json", "transfer-encoding": "chunked" },
          "zz\r\n{}\r\n0\r\n\r\n",
        ),
    ],
    ["no Host", 400, "invalid_request", () => wire("GET /api/v1/health HTTP/1.1")],
    ["no Host, as in HTTP/1.0", 400, "invalid_request", () => wire("GET /api/v1/health HTTP/1.0")],
    ["a wish for a proxy", 405, "method_not_allowed", () => wire("CONNECT evil.example:443 HTTP/1.1", { host })],
    ["a strange expectation", 400, "invalid_request", () => wire("GET / HTTP/1.1", { host, expect: "weird" })],
    ["half a percent sign", 400, "invalid_request", () => wire("GET /api/v1/devices/%zz HTTP/1.1", { host })],
    ["bytes that are no UTF-8", 400, "invalid_request", () => wire("GET /api/v1/devices/%ff%fe HTTP/1.1", { host })],
    [
      "a field too long",
      400,
      "invalid_request",
      () => wire(`GET /api/v1/devices/${"a".repeat(513)} HTTP/1.1`, { host }),
    ],
    ["a star", 404, "not_found", () => wire("OPTIONS * HTTP/1.1", { host })],
    ["a slash at the end", 404, "not_found", () => wire("GET /api/v1/health/ HTTP/1.1", { host })],
    ["two slashes", 404, "not_found", () => wire("GET /api//v1/health HTTP/1.1", { host })],
    ["steps upwards", 404, "not_found", () => wire("GET /api/v1/../v1/health HTTP/1.1", { host })],
    ["upper case", 404, "not_found", () => wire("GET /API/V1/HEALTH HTTP/1.1", { host })],
  ])("%s → %i %s", async (_, status, code, bytes) => {
    expect(await sendRaw(gateway.origin, bytes())).toMatchObject({ status, code });
    expect(await healthy()).toMatchObject({ status: 200 });
  });
});

test("HTTP: HTTP/1.0 with a Host is served", async () =>
  expect(await sendRaw(gateway.origin, wire("GET /api/v1/health HTTP/1.0", { host }))).toMatchObject({ status: 200 }));

test("HTTP: Expect: 100-continue is supported", async () => {
  using line = openRawConnection(gateway.origin);
  const body = JSON.stringify({ name: "TV" });
  line.send(wire("POST /api/v1/devices HTTP/1.1", { ...json(body.length), expect: "100-continue" }));
  expect(await line.answer()).toMatchObject({ status: 100 });
  line.send(body);
  expect(await line.answer()).toMatchObject({ status: 201 });
});

test("HTTP: one connection transports many valid and invalid requests in order", async () => {
  using line = openRawConnection(gateway.origin);
  const paths = ["/health", "/no-such-thing", "/devices/%zz", "/devices/x", "/health"];
  line.send(paths.map((path) => wire(`GET /api/v1${path} HTTP/1.1`, { host })).join(""));
  const answers = [];
  for (const _ of paths) answers.push((await line.answer()).status);
  expect(answers).toEqual([200, 404, 400, 404, 200]);
});

test("HTTP: a refusal of the router has the headers of every response", async () => {
  for (const path of ["/health", "/devices/%zz", `/devices/${"a".repeat(513)}`, "/no-such-thing"]) {
    const { headers } = await sendRaw(gateway.origin, wire(`GET /api/v1${path} HTTP/1.1`, { host }));
    expect([path, headers.get("x-content-type-options"), headers.get("cache-control")]).toEqual([
      path,
      "nosniff",
      "no-store",
    ]);
    const id = headers.get("x-request-id");
    expect(id).toMatch(/^[0-9a-z]+-[0-9a-z]+$/);
    expect(gateway.logged.filter((line) => line.includes(`"request_id":"${id}"`))).toHaveLength(1);
  }
});

describe("HTTP: HEAD and OPTIONS", () => {
  test("HEAD answers the headers of GET and no body", async () => {
    using line = openRawConnection(gateway.origin);
    line.send(wire("HEAD /api/v1/health HTTP/1.1", { host }));
    const { status, headers } = await line.answer({ toHead: true });
    expect([status, headers.get("content-length"), headers.get("content-type")]).toEqual([
      200,
      String('{"status":"ok"}'.length),
      "application/json; charset=utf-8",
    ]);
    line.send(wire("GET /api/v1/health HTTP/1.1", { host }));
    expect(await line.answer()).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });

  test("OPTIONS says which methods a path knows", async () => {
    const { status, headers } = await gateway.request("OPTIONS", "/devices");
    expect([status, headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
    expect((await gateway.request("OPTIONS", "/no-such-thing")).status).toBe(404);
  });

  test.each(["PATCH", "TRACE", "PROPFIND", "QUERY", "PURGE"])(
    "%s is refused with those that are known",
    async (method) => {
      const { status, code, headers } = await sendRaw(
        gateway.origin,
        wire(`${method} /api/v1/devices HTTP/1.1`, { host }),
      );
      expect([status, code, headers.get("allow")]).toEqual([405, "method_not_allowed", "GET, HEAD, POST, OPTIONS"]);
    },
  );

  test("a refused method is refused whatever its body is", async () => {
    const xml = { host, "content-type": "text/xml", "content-length": "4" };
    const { status } = await sendRaw(gateway.origin, wire("PATCH /api/v1/devices HTTP/1.1", xml, "<a/>"));
    expect(status).toBe(405);
  });
});

describe("HTTP: bodies that do not keep their promise", () => {
  const start = "POST /api/v1/devices HTTP/1.1";
  const whole = JSON.stringify({ name: "TV in pieces" });

  test("a body that arrives whole, in pieces, is taken", async () => {
    using line = openRawConnection(gateway.origin);
    line.send(wire(start, json(whole.length), whole.slice(0, 5)));
    await once(line.socket, "connect");
    line.send(whole.slice(5));
    expect(await line.answer()).toMatchObject({ status: 201 });
  });

  test("a body cut off by its sender changes nothing", async () => {
    const before = (await gateway.client.devices.list()).total;
    using line = openRawConnection(gateway.origin);
    line.send(wire(start, json(whole.length + 10), whole));
    line.end();
    expect(await line.rest()).not.toContain("HTTP/1.1 2");
    expect((await gateway.client.devices.list()).total).toBe(before);
    expect(await healthy()).toMatchObject({ status: 200 });
  });

  test("a length shorter than the body makes two requests of it, and neither is believed", async () => {
    const before = (await gateway.client.devices.list()).total;
    using line = openRawConnection(gateway.origin);
    line.send(wire(start, json(5), whole));
    expect(await line.answer()).toMatchObject({ status: 400 });
    expect(await line.rest()).toBe("");
    expect((await gateway.client.devices.list()).total).toBe(before);
  });

  test("a body of the largest size is read, one byte more is not", async () => {
    const sized = (bytes: number) => JSON.stringify({ name: "TV", notes: "n".repeat(bytes - 24) });
    expect(sized(10_000)).toHaveLength(10_000);
    const send = (body: string) => sendRaw(gateway.origin, wire(start, json(body.length), body));
    expect(await send(sized(10_000))).toMatchObject({ status: 400, text: expect.stringContaining("body.notes") });
    expect(await send(sized(10_001))).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  test("a body too large is noticed although its length was not said", async () => {
    const chunks = { host, "content-type": "application/json", "transfer-encoding": "chunked" };
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const send = (...texts: string[]) =>
      sendRaw(gateway.origin, wire(start, chunks, [...texts.map(chunk), "0\r\n\r\n"].join("")));
    expect(await send('{"na', 'me":"TV in chunks"}')).toMatchObject({ status: 201 });
    expect(await send('"', ...Array<string>(20).fill("n".repeat(1000)), '"')).toMatchObject({ status: 413 });
  });
});

describe("HTTP: requests that take their time", () => {
  const late = { status: 408, code: "request_timeout" };

  test.concurrent("half a request line", async () => {
    using line = openRawConnection(gateway.origin);
    line.send("GET /api/v1/hea");
    expect(await line.answer()).toMatchObject(late);
  });

  test.concurrent("headers without an end", async () => {
    using line = openRawConnection(gateway.origin);
    line.send(`GET /api/v1/health HTTP/1.1\r\nHost: ${host}\r\n`);
    expect(await line.answer()).toMatchObject(late);
  });

  test.concurrent("half a body", async () => {
    using line = openRawConnection(gateway.origin);
    line.send(wire("POST /api/v1/devices HTTP/1.1", json(100), '{"name"'));
    expect(await line.answer()).toMatchObject(late);
  });

  test("a drop at a time", repeatable, async () => {
    using line = openRawConnection(gateway.origin);
    line.send(wire("POST /api/v1/devices HTTP/1.1", json(1000)));
    const drip = setInterval(() => line.send(" "), 100);
    const startedAt = ownSec();
    try {
      expect(await line.answer()).toMatchObject(late);
      expectWithin(3, { "refusal of a slow body": ownSec() - startedAt });
    } finally {
      clearInterval(drip);
    }
  });

  test.concurrent("a line on which nothing was ever said is hung up", async () => {
    using line = openRawConnection(gateway.origin);
    await line.rest();
    expect(line.socket.closed).toBe(true);
  });
});
