import { expect, test } from "vitest";
import { filterOf } from "./filter.ts";

const of = (address: string) => filterOf(new URLSearchParams(address));

test("words go as they are, empty and foreign ones do not", () => {
  expect(of("actor=admin&action=&resource_type= device &tab=x")).toEqual({ actor: "admin", resource_type: "device" });
});

test("a day begins and ends by the reader's clock", () => {
  expect(of("since=2026-03-02&until=2026-03-02")).toEqual({
    since: new Date(2026, 2, 2).toISOString(),
    until: new Date(2026, 2, 2, 23, 59, 59, 999).toISOString(),
  });
});

test("a moment stays one, and nonsense asks for nothing", () => {
  expect(of("since=2026-03-02T10:00:00Z&until=tomorrow")).toEqual({ since: "2026-03-02T10:00:00.000Z" });
});
