import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { sendRaw, wire } from "../../../testing/raw-http.ts";

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

/** Sends bytes as a body, with any headers, past every library that knows better. */
async function post(body: string | Buffer, headers: Readonly<Record<string, string>> = {}, path = "/devices") {
  const bytes = Buffer.from(body);
  const { host } = new URL(gateway.origin);
  const all = { host, "content-type": "application/json", "content-length": String(bytes.length), ...headers };
  return sendRaw(gateway.origin, Buffer.concat([Buffer.from(wire(`POST /api/v1${path} HTTP/1.1`, all)), bytes]));
}
const nameOf = ({ text }: { text: string }): string => (JSON.parse(text) as { name: string }).name;

describe("request body: a body is JSON in UTF-8", () => {
  test.each<[string, string | Buffer, Record<string, string>]>([
    ["plain", '{"name":"TV 1"}', {}],
    ["said to be UTF-8", '{"name":"TV 2"}', { "content-type": "application/json; charset=utf-8" }],
    [
      "said to be UTF-8 in quotes and capitals",
      '{"name":"TV 3"}',
      { "content-type": 'Application/JSON; Charset="UTF-8"' },
    ],
    ["with a byte order mark", Buffer.from('\ufeff{"name":"TV 4"}'), {}],
    ["with space around it", ' \r\n\t{"name":"TV 5"}\n', {}],
  ])("%s, and is taken", async (_, body, headers) => {
    const answer = await post(body, headers);
    expect([answer.status, nameOf(answer)]).toEqual([201, expect.stringMatching(/^TV \d$/)]);
  });

  test("every letter comes back as it went in", async () => {
    const name = "Ünïcödé 日本語 🏰 \u200d👩‍👩‍👧 \u2028";
    expect(nameOf(await post(JSON.stringify({ name })))).toBe(name);
    expect(nameOf(await post(`{"name":"\\ud83c\\udff0"}`))).toBe("🏰");
  });
});

describe("request body: what is not JSON in UTF-8 is refused", () => {
  test.each<[string, string | Buffer]>([
    ["nothing closed", '{"name":"TV"'],
    ["a comma too many", '{"name":"TV",}'],
    ["single quotes", "{'name':'TV'}"],
    ["a comment", '{"name":"TV"} // TV'],
    ["two values", '{"name":"TV"}{"name":"TV"}'],
    ["a number no JSON has", '{"name":NaN}'],
    ["a form", "name=TV"],
    ["a zero byte", '{"name":"TV"}\0'],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ["an overlong letter", Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    ["half a letter", Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')])],
    ["UTF-16", Buffer.from('{"name":"TV"}', "utf16le")],
    ["two byte order marks", Buffer.from('\ufeff\ufeff{"name":"TV"}')],
    ["depth without end", "[".repeat(500_000)],
    ["depth with an end", "[".repeat(400_000) + "]".repeat(400_000)],
    ["a prototype", '{"name":"TV","__proto__":{"admin":true}}'],
    ["a prototype further in", '{"name":"TV","notes":{"__proto__":{"admin":true}}}'],
    ["a prototype in disguise", '{"name":"TV","\\u005f_proto__":null}'],
  ])("%s", async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, code: "invalid_json" });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe("request body: what does not say that it is plain JSON is refused", () => {
  test.each<[string, Record<string, string>]>([
    ["another charset", { "content-type": "application/json; charset=latin1" }],
    ["another charset in quotes", { "content-type": 'application/json; charset="iso-8859-1"' }],
    ["UTF-16 said so", { "content-type": "application/json;charset=utf-16" }],
    ["a form, as a foreign page may send it", { "content-type": "application/x-www-form-urlencoded" }],
    ["text, as a foreign page may send it", { "content-type": "text/plain" }],
    ["several parts", { "content-type": "multipart/form-data; boundary=x" }],
    ["XML", { "content-type": "application/xml" }],
    ["JSON of another kind", { "content-type": "application/problem+json" }],
    ["no known type at all", { "content-type": "nonsense" }],
    ["an empty type", { "content-type": "" }],
    ["gzip", { "content-encoding": "gzip" }],
    ["a promise of no encoding", { "content-encoding": "identity" }],
  ])("%s", async (_, headers) =>
    expect(await post('{"name":"TV"}', headers)).toMatchObject({ status: 415, code: "unsupported_media_type" }),
  );
});

test("request body: a body that must be there must be there", async () => {
  expect(await post("")).toMatchObject({ status: 400, text: expect.stringContaining("body: must be object") });
  expect(await post("null")).toMatchObject({ status: 400, code: "invalid_request" });
  expect(await post("{}")).toMatchObject({ status: 400, text: expect.stringContaining("body.name") });
});

test("request body: a body that must not be there must not be there", async () => {
  for (const body of ["[]", "0", '""', '{"a":1}', `{${" ".repeat(20)}}`])
    expect(await post(body, {}, "/changes/confirm")).toMatchObject({ status: 400, code: "invalid_request" });
  // Nothing waits for confirmation, which only a handler can say.
  for (const body of ["", "{}", " {\n}\n"])
    expect(await post(body, {}, "/changes/confirm")).toMatchObject({ status: 404, code: "not_found" });
});

test("request body: where a body may be left out, an empty one is as good as none", async () => {
  const policy = { name: "TV", source_type: "subnet", source_value: "10.9.8.0/24" } as const;
  const { id, enabled } = await gateway.client.routing.create({ body: policy });
  const states = [];
  for (const body of ["", "{}"]) states.push(await post(body, {}, `/routing/policies/${id}/toggle`));
  expect(states.map(({ status, text }) => [status, JSON.parse(text).enabled])).toEqual([
    [200, !enabled],
    [200, enabled],
  ]);
});

describe("request body: a client without a credential cannot make the gateway work", () => {
  /** The headers announce a body that never comes: a response shows that the server did not wait for it. */
  const announce = (path: string, bytes: number) =>
    sendRaw(
      gateway.origin,
      wire(`POST /api/v1${path} HTTP/1.1`, {
        host: new URL(gateway.origin).host,
        "content-type": "application/json",
        "content-length": String(bytes),
      }),
    );

  test("a body that is not taken is refused before it is read", async () => {
    expect(await announce("/auth/logout", 1_000_000)).toMatchObject({ status: 400, code: "invalid_request" });
    expect(await announce("/changes/confirm", 17)).toMatchObject({ status: 400, code: "invalid_request" });
    expect(await post("{}", {}, "/auth/logout")).toMatchObject({ status: 200 });
  });

  test("one that comes in pieces without a length is cut off", async () => {
    const chunk = `3e8\r\n${"[".repeat(1000)}\r\n`;
    const headers = { "transfer-encoding": "chunked", "content-type": "application/json" };
    const { host } = new URL(gateway.origin);
    const sent = wire("POST /api/v1/auth/logout HTTP/1.1", { host, ...headers }, chunk.repeat(5));
    expect(await sendRaw(gateway.origin, sent)).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  test("request body: a login may have four kilobytes", async () => {
    expect(await announce("/auth/login", 4097)).toMatchObject({ status: 413, code: "payload_too_large" });
    const long = JSON.stringify({ username: "ada", password: "p".repeat(1024) });
    expect(await post(long.padEnd(4096), {}, "/auth/login")).toMatchObject({ status: 401 });
  });
});

describe("request body: depth", () => {
  const nested = (depth: number) => `{"name":"TV","notes":${"[".repeat(depth)}${"]".repeat(depth)}}`;

  test("beyond 32 brackets is refused as it stands, whatever it means", async () => {
    expect(await post(nested(31))).toMatchObject({ status: 400, code: "invalid_request" });
    expect(await post(nested(32))).toMatchObject({ status: 400, code: "invalid_json" });
  });

  test("is not counted inside of texts", async () => {
    const name = `${"[{".repeat(20)}\\"`;
    expect(nameOf(await post(JSON.stringify({ name })))).toBe(name);
    expect(nameOf(await post(`{"name":"\\\\","notes":"${"[".repeat(100)}"}`))).toBe("\\");
  });
});

test("request body: of many mistakes in a large body only the first is searched and reported", repeatable, async () => {
  const device_ids = Array.from({ length: 150_000 }, () => 5);
  const startedAt = ownSec();
  const answer = await gateway.request("POST", "/device-groups", { body: { name: "all", device_ids } });
  expectWithin(0.5, { "answer to 150,000 mistakes": ownSec() - startedAt });
  expect([answer.status, answer.json().error.details.fields.length]).toEqual([400, 1]);
});

describe("request body: unknown fields are reported with the nearest known name", () => {
  test.each([
    ["body", { name: "TV", hostnam: "tv" }, "body.hostnam", "hostname"],
    ["body, in another case", { name: "TV", MAC: null }, "body.MAC", "mac"],
    ["body, with nothing near", { name: "TV", completely_different: 1 }, "body.completely_different", undefined],
    ["body, named like a method", { name: "TV", constructor: 1 }, "body.constructor", undefined],
  ])("in the %s", async (_, body, field, meant) => {
    const answer = await gateway.request("POST", "/devices", { body });
    const mistake = { field, problem: "is not a known field", ...(meant && { did_you_mean: meant }) };
    expect([answer.status, answer.json().error.details.fields]).toEqual([400, [mistake]]);
  });

  test("in the query", async () => {
    const answer = await gateway.request("GET", "/devices?limt=5");
    const mistake = { field: "query.limt", problem: "is not a known field", did_you_mean: "limit" };
    expect([answer.status, answer.json().error.details.fields]).toEqual([400, [mistake]]);
    expect((await gateway.request("GET", "/devices?limit=5")).status).toBe(200);
  });

  test("also where an endpoint has no query at all", async () =>
    expect((await gateway.request("GET", "/health?verbose=1")).status).toBe(400));

  test("every mistake is reported, at most twenty", async () => {
    const answer = await gateway.request("POST", "/devices", { body: { mac: 5, ips: "x", state: "odd" } });
    const fields = answer.json().error.details.fields.map(({ field }: { field: string }) => field);
    expect(fields.toSorted()).toEqual(["body.ips", "body.mac", "body.name", "body.state"]);
    const flood = Object.fromEntries(Array.from({ length: 5000 }, (_, serial) => [`field_${serial}`, serial]));
    const { text } = await gateway.request("POST", "/devices", { body: flood });
    expect(JSON.parse(text).error.details.fields).toHaveLength(1);
    const some = Object.fromEntries(Object.entries(flood).slice(0, 500));
    const refused = await gateway.request("POST", "/devices", { body: some });
    expect(refused.json().error.details.fields).toHaveLength(20);
    expect(text.length).toBeLessThan(10_000);
  });
});

describe("request body: values are never coerced", () => {
  let id: string;
  beforeEach(async () => void ({ id } = await gateway.client.privacyClasses.create({ body: { name: uniqueName() } })));

  test.each([
    [{ force_dns: "true" }],
    [{ force_dns: 1 }],
    [{ force_dns: null }],
    [{ force_dns: [true] }],
    [{ description: 5 }],
    [{ description: null }],
    [{ name: true }],
    [{ name: ["x"] }],
    [{ dns_mode: "OFF" }],
    [[]],
    ["text"],
    [5],
    [true],
  ])("%j is refused", async (body) => {
    const before = await gateway.client.privacyClasses.get({ params: { id } });
    const answer = await gateway.request("PUT", `/privacy-classes/${id}`, { body: JSON.stringify(body) });
    expect([answer.status, answer.json().error.code]).toEqual([400, "invalid_request"]);
    expect(await gateway.client.privacyClasses.get({ params: { id } })).toEqual(before);
  });

  test("the same field with a value of its type is taken", async () => {
    const changed = await gateway.client.privacyClasses.update({ params: { id }, body: { force_dns: false } });
    expect(changed.force_dns).toBe(false);
  });

  test("null stays null where null has a meaning", async () => {
    const made = await gateway.client.devices.create({ body: { name: "TV with a host name", hostname: "tv" } });
    const changed = await gateway.client.devices.update({ params: { id: made.id }, body: { hostname: null } });
    expect([made.hostname, changed.hostname]).toEqual(["tv", null]);
  });

  test("of a field given twice the last counts, as JSON has it", async () =>
    expect(nameOf(await post('{"name":"first","name":"second"}'))).toBe("second"));
});

let serial = 0;
const uniqueName = () => `class ${(serial += 1)}`;

describe("request body: values of a query are text and become what they mean", () => {
  test.each([
    ["limit=5", 200],
    ["limit=0", 400],
    ["limit=1001", 400],
    ["limit=5.5", 400],
    ["limit=five", 400],
    ["limit=", 400],
    ["limit=1e1", 200],
    ["limit=1&limit=2", 400],
    ["limit[]=1", 400],
    ["state=new", 200],
    ["state=NEW", 400],
    ["name=%zz", 200],
    ["__proto__=1", 400],
    ["constructor=1", 400],
    ["", 200],
    ["&&", 200],
  ])("?%s → %i", async (query, status) =>
    expect((await gateway.request("GET", `/devices?${query}`)).status).toBe(status),
  );
});

describe("request body: where the collection takes the id, it travels in the query or in the body", () => {
  const make = () => gateway.client.privacyClasses.create({ body: { name: uniqueName() } });

  test.each<[string, string, (id: string) => { path: string; body?: object }, number]>([
    ["PUT", "query", (id) => ({ path: `?id=${id}`, body: { force_dns: false } }), 200],
    ["PUT", "body", (id) => ({ path: "", body: { id, force_dns: false } }), 200],
    ["PUT", "body alone", (id) => ({ path: "", body: { id } }), 200],
    ["PUT", "query, with nothing to change", (id) => ({ path: `?id=${id}`, body: {} }), 200],
    ["PUT", "query, without a body", (id) => ({ path: `?id=${id}` }), 400],
    ["PUT", "query and body", (id) => ({ path: `?id=${id}`, body: { id } }), 400],
    ["PUT", "no id", () => ({ path: "", body: { force_dns: false } }), 400],
    ["PUT", "body as a number", () => ({ path: "", body: { id: 5 } }), 404],
    ["PUT", "body as a list", (id) => ({ path: "", body: { id: [id] } }), 400],
    ["DELETE", "query", (id) => ({ path: `?id=${id}` }), 200],
    ["DELETE", "body", (id) => ({ path: "", body: { id } }), 200],
    ["DELETE", "body, with more beside it", (id) => ({ path: "", body: { id, name: "x" } }), 400],
    ["DELETE", "no id", () => ({ path: "" }), 400],
  ])("%s with the id in the %s", async (method, _, request, status) => {
    const { path, ...rest } = request((await make()).id);
    expect((await gateway.request(method, `/privacy-classes${path}`, rest)).status).toBe(status);
  });
});

describe("request body: a text longer than any pattern should see", () => {
  test("is refused for its length, at once", repeatable, async () => {
    const name = `${"a".repeat(40_000)}\n`;
    const startedAt = ownSec();
    const answer = await gateway.request("POST", "/devices", { body: { name, hostname: name, mac: name } });
    expectWithin(1, { "answer to an overlong text": ownSec() - startedAt });
    const fields: { field: string; problem: string }[] = answer.json().error.details.fields;
    expect([answer.status, fields.find(({ field }) => field === "body.name")?.problem]).toEqual([
      400,
      "must NOT have more than 120 characters",
    ]);
  });

  test("while one of the right length is still held against its pattern", async () => {
    const answer = await gateway.request("POST", "/devices", { body: { name: "two\nlines" } });
    expect(answer.json().error.details.fields).toEqual([
      { field: "body.name", problem: "must be written as visible text on one line" },
    ]);
    const astral = "🏰".repeat(120);
    expect((await gateway.client.devices.create({ body: { name: astral } })).name).toBe(astral);
  });
});
