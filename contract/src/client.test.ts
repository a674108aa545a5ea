import fc from "fast-check";
import { expect, test } from "vitest";
import { api } from "./api.ts";
import { type Answer, createClient, everyPage, type Request, toRequest } from "./client.ts";
import { operations, pathFields } from "./endpoint.ts";
import { envelope, Problem, type ProblemCode, problems } from "./problem.ts";

/** A gateway with one response for all requests, which it records. */
function gateway(answer: Partial<Answer>) {
  const requests: Request[] = [];
  const client = createClient(api, async (request) => {
    requests.push(request);
    return { status: 200, body: {}, header: () => null, ...answer };
  });
  return { client, requests };
}

const headers = (known: Record<string, string>) => (name: string) => known[name];

test("client: the client has a call for every operation of the contract, and no other", () => {
  const { client } = gateway({});
  const calls = Object.entries(client).flatMap(([subsystem, it]) =>
    Object.keys(it).map((name) => `${subsystem}.${name}`),
  );
  expect(calls).toEqual(operations(api).map(({ subsystem, name }) => `${subsystem}.${name}`));
});

test("client: a call becomes the request its endpoint describes", async () => {
  const { client, requests } = gateway({ body: [] });
  await client.devices.list({ query: { limit: 5, state: "new" } });
  await client.devices.get({ params: { id: "7" } });
  await client.devices.create({ body: { name: "printer" } });
  await client.changes.confirm();
  expect(requests).toEqual([
    { method: "GET", url: "/devices?limit=5&state=new" },
    { method: "GET", url: "/devices/7" },
    { method: "POST", url: "/devices", body: '{"name":"printer"}' },
    { method: "POST", url: "/changes/confirm" },
  ]);
});

test("client: every value put into a request can be read back from it", () => {
  const value = fc.string({ unit: "grapheme" });
  const step = value.filter((text) => !/^\.{0,2}$/.test(text));
  fc.assert(
    fc.property(fc.constantFrom(...operations(api)), step, value, value, ({ endpoint }, part, filter, sent) => {
      const fields = pathFields(endpoint.path);
      const params = Object.fromEntries(fields.map((field) => [field, part]));
      const { url, body } = toRequest(endpoint, { params, query: { filter, absent: undefined }, body: { sent } });
      const [path = "", query = ""] = url.split("?");
      const parts = path.split("/");

      expect(endpoint.path.split("/").map((name, at) => (name.startsWith("{") ? part : parts[at]))).toEqual(
        parts.map(decodeURIComponent),
      );
      expect([...new URLSearchParams(query)]).toEqual([["filter", filter]]);
      expect(JSON.parse(body!)).toEqual({ sent });
    }),
  );
});

test.each(["", ".", ".."])(
  "client: a path never has %j for a step, since a URL would then mean another place",
  (id) => {
    expect(() => toRequest(api.devices.remove, { params: { id } })).toThrow(Problem);
    expect(toRequest(api.devices.remove, { params: { id: "..." } }).url).toBe("/devices/...");
  },
);

test.each([
  { status: 302, body: [] },
  { status: 200, body: "not a list" },
])("client: an answer that is no list is not taken for one: %j", async (answer) => {
  await expect(gateway(answer).client.devices.list()).rejects.toThrow(Problem);
  expect((await gateway({ status: 200, body: [] }).client.devices.list()).items).toEqual([]);
});

test("client: a page has its rows, the total and the cursor of the next page", async () => {
  const link = '</api/v1/devices?cursor=abc_-9&limit=2>; rel="next"';
  const { client } = gateway({ body: [{ id: "1" }], header: headers({ link, "x-total-count": "3" }) });
  expect(await client.devices.list()).toEqual({ items: [{ id: "1" }], next: "abc_-9", total: 3 });
});

test("client: the last page has no next cursor", async () => {
  const { client } = gateway({ body: [] });
  expect((await client.devices.list()).next).toBeUndefined();
});

test("client: following every page gives every row once, in order", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 5 }), async (pages) => {
      const rows = await everyPage(async (cursor) => {
        const at = Number(cursor ?? 0);
        return { items: pages[at]!, next: at + 1 < pages.length ? String(at + 1) : undefined };
      });
      expect(rows).toEqual(pages.flat());
    }),
  ));

test("client: every registered problem survives the wire", async () => {
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const problem = new Problem(code, { fact: 1 }, { message: "In other words" });
    const { client } = gateway({ status: problem.status, body: envelope(problem) });
    await expect(client.status.status()).rejects.toMatchObject({
      name: "Problem",
      code,
      details: { fact: 1 },
      message: "In other words",
    });
  }
});

test.each([
  ["<html>"],
  [undefined],
  [null],
  [{ error: "text" }],
  [{ error: { code: "unheard_of" } }],
  [{ error: null }],
])("client: an error that is not in the envelope (%j) still says its status", async (body) => {
  const { client } = gateway({ status: 502, body });
  await expect(client.status.status()).rejects.toMatchObject({
    code: "internal",
    message: "The gateway answered 502",
  });
});
