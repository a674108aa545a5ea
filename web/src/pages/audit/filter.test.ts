import { expect, test } from "vitest";
import { filterOf } from "./filter.ts";

const of = (address: string) => filterOf(new URLSearchParams(address));

test("audit filter: values are passed on; empty and unknown parameters are not", () => {
  expect(of("actor=admin&action=&resource_type= device &tab=x")).toEqual({ actor: "admin", resource_type: "device" });
});

test("audit filter: a day begins and ends in the reader's time zone", () => {
  expect(of("since=2026-03-02&until=2026-03-02")).toEqual({
    since: new Date(2026, 2, 2).toISOString(),
    until: new Date(2026, 2, 2, 23, 59, 59, 999).toISOString(),
  });
});

test("audit filter: a timestamp is kept, and an invalid one is dropped", () => {
  expect(of("since=2026-03-02T10:00:00Z&until=tomorrow")).toEqual({ since: "2026-03-02T10:00:00.000Z" });
});
