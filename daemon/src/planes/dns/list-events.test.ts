import type { Announce } from "@portcullis/contract/events";
import { expect, test } from "vitest";
import type { ListState } from "../../engines/lists/lists.model.ts";
import { listEvents } from "./list-events.ts";

const unread: ListState = { id: "ads", entries: 0, skipped: 0, bytes: 0, readAt: null, problem: "" };
const read: ListState = { ...unread, entries: 3, bytes: 40, readAt: new Date(0) };

function listening() {
  const told: unknown[] = [];
  const news = listEvents({
    nameOf: (id) => `List ${id}`,
    announce: ((name: string, about: object) => told.push([name, about])) as unknown as Announce,
  });
  return { told, ...news };
}

test("a list that was read is told of when it is in force, and again when it has changed", () => {
  const { told, ...news } = listening();
  news.wanted([unread]);
  news.read([read]);
  expect(told).toEqual([]);
  news.built([read]);
  news.built([{ ...read, readAt: new Date(1) }]);
  expect(told).toEqual([["dns.list_updated", { id: "ads", name: "List ads", entries: 3 }]]);
  news.built([{ ...read, entries: 4, bytes: 50 }]);
  expect(told).toHaveLength(2);
});

test("what was so before a start, or before a list was wanted, is no news", () => {
  const { told, ...news } = listening();
  news.wanted([{ ...read, problem: "The server is silent" }]);
  news.read([{ ...read, problem: "The server is silent" }]);
  news.built([read]);
  news.wanted([]);
  news.wanted([{ ...read, entries: 9 }]);
  news.built([{ ...read, entries: 9 }]);
  expect(told).toEqual([]);
});

test("each problem is told of once, and once more when it comes back", () => {
  const { told, ...news } = listening();
  news.wanted([unread]);
  const failing = { ...unread, problem: "The server is silent" };
  for (const state of [failing, failing, unread, failing]) news.read([state]);
  const said = ["dns.list_failed", { id: "ads", name: "List ads", reason: "The server is silent" }];
  expect(told).toEqual([said, said]);
});
