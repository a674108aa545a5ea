import { api } from "@portcullis/contract/api";
import { everyPage } from "@portcullis/contract/client";
import { pageLimit } from "@portcullis/contract/collection";
import { operations } from "@portcullis/contract/endpoint";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { announceSeed } from "../../../testing/seed.ts";

announceSeed("paging");

const lists = operations(api)
  .filter(({ endpoint }) => endpoint.paged)
  .map(({ endpoint }) => endpoint);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe.each(lists)("paging: GET $path", ({ path }) => {
  test("takes a limit within bounds, a cursor of its own and no unknown filter", async () => {
    const status = async (query: string) => (await gateway.request("GET", `${path}?${query}`)).status;
    for (const fine of ["", "limit=1", `limit=${pageLimit.maximum}`])
      expect([fine, await status(fine)]).toEqual([fine, 200]);
    for (const wrong of [
      "limit=0",
      "limit=-1",
      `limit=${pageLimit.maximum + 1}`,
      "limit=many",
      "limit=1.5",
      "limit=1&limit=2",
      "offset=1",
      "cursor=AA",
      "cursor=zzzz",
      "cursor=%C3%BC",
      `cursor=${"A".repeat(201)}`,
    ])
      expect([wrong, await status(wrong)]).toEqual([wrong, 400]);
  });
});

/** The ids on this page and on all that its Link leads to. */
async function follow(path: string): Promise<string[]> {
  const page = await gateway.request("GET", path);
  const ids = page.json().map(({ id }: { id: string }) => id);
  const next = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
  return next === undefined ? ids : [...ids, ...(await follow(`/${next}`))];
}

describe.each([
  { path: "/devices", subsystem: "devices" },
  { path: "/device-groups", subsystem: "deviceGroups" },
  { path: "/trust-classes", subsystem: "trustClasses" },
  { path: "/privacy-classes", subsystem: "privacyClasses" },
] as const)("paging: $path in pages", ({ path, subsystem }) => {
  test("has its total, its next page and at the end no next one", async () => {
    const calls = gateway.client[subsystem];
    const ids: string[] = [];
    for (const name of ["A", "B", "C", "D", "E"]) ids.push((await calls.create({ body: { name } })).id);
    ids.sort();

    const first = await gateway.request("GET", `${path}?limit=2`);
    expect(first.json().map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.headers.get("x-total-count")).toBe("5");
    const [, next] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link")!)!;
    const second = await gateway.request("GET", `/${next}`);
    expect(second.json().map(({ id }: { id: string }) => id)).toEqual(ids.slice(2, 4));
    expect(second.headers.get("x-total-count")).toBe("5");

    for (const limit of [1, 2, 3, 5, 100]) {
      expect(await follow(`${path}?limit=${limit}`)).toEqual(ids);
    }
    const whole = await gateway.request("GET", `${path}?limit=5`);
    expect(whole.headers.get("link")).toBeNull();
    for (const id of ids) await calls.remove({ params: { id } });
    const empty = await gateway.request("GET", path);
    expect([empty.json(), empty.headers.get("x-total-count"), empty.headers.get("link")]).toEqual([[], "0", null]);
  });
});

test("paging: the filter applies to every page, and the total counts its matches", async () => {
  const { devices } = gateway.client;
  for (const name of ["red 1", "blue 1", "red 2", "blue 2", "red 3"]) await devices.create({ body: { name } });
  const first = await gateway.request("GET", "/devices?name=red&limit=2");
  expect(first.headers.get("x-total-count")).toBe("3");
  const [, next] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link")!)!;
  const second = await gateway.request("GET", `/${next}`);
  const names = [...first.json(), ...second.json()].map(({ name }) => name);
  expect(new Set(names)).toEqual(new Set(["red 1", "red 2", "red 3"]));
  for (const { id } of (await devices.list()).items) await devices.remove({ params: { id } });
});

/** A change between two pages: a device is added, or the one at this index is removed. */
const running = fc.oneof(
  fc.constant("add" as const),
  fc.nat(1000).map((place) => ({ place })),
);

test("paging: every row that stays appears exactly once, whatever is added or removed meanwhile", async () => {
  const { devices } = gateway.client;
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.array(fc.array(running, { maxLength: 3 }), { maxLength: 12 }),
      async (count, limit, filtered, happenings) => {
        const present = new Set<string>();
        const everPresent = new Set<string>();
        const add = async () => {
          const { id } = await devices.create({ body: { name: `row ${(serial += 1)}` } });
          present.add(id);
          everPresent.add(id);
        };
        for (let row = 0; row < count; row++) await add();
        const staying = new Set(present);

        const left = happenings.values();
        const seen = await everyPage(async (cursor) => {
          const query = { limit, ...(cursor !== undefined && { cursor }), ...(filtered && { name: "ROW" }) };
          const page = await devices.list({ query });
          for (const it of left.next().value ?? []) {
            const id = it === "add" ? undefined : [...present][it.place % present.size];
            if (it === "add") await add();
            else if (id !== undefined) {
              await devices.remove({ params: { id } });
              present.delete(id);
              staying.delete(id);
            }
          }
          return page;
        });
        const ids = seen.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(ids.toSorted());
        expect(ids.filter((id) => staying.has(id))).toEqual([...staying].toSorted());
        expect(ids.filter((id) => !everPresent.has(id))).toEqual([]);
        for (const id of present) await devices.remove({ params: { id } });
      },
    ),
    { numRuns: 15 },
  );
});
