import { api } from "@portcullis/contract/api";
import { type Api, operations } from "@portcullis/contract/endpoint";
import { expect, test } from "vitest";
import { routeTable } from "./route-table.ts";

const table = routeTable();
const everything = Object.entries(api satisfies Api as Api).flatMap(([subsystem, endpoints]) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ subsystem, name, endpoint })),
);

test("route table: contains every endpoint of the contract with its method, path and role", () => {
  expect(everything.length).toBe([...operations(api)].length);
  for (const { subsystem, name, endpoint } of everything)
    expect(table[subsystem]?.[name]).toMatchObject({
      method: endpoint.method,
      path: endpoint.path,
      role: endpoint.role,
    });
});

test("route table: contains no other endpoint, no schema and no description", () => {
  const rows = Object.values(table).flatMap((endpoints) => Object.values(endpoints));
  expect(rows.length).toBe(everything.length);
  const known = new Set(["method", "path", "role", "takes", "paged", "audit"]);
  expect(rows.flatMap((row) => Object.keys(row)).filter((key) => !known.has(key))).toEqual([]);
});

test("route table: marks endpoints that are paged, audited or take another content type", () => {
  const marked = (key: "takes" | "paged" | "audit") =>
    everything.filter(({ subsystem, name, endpoint }) => table[subsystem]?.[name]?.[key] !== endpoint[key]);
  expect([...marked("takes"), ...marked("paged"), ...marked("audit")]).toEqual([]);
});
