import { because, explained } from "@portcullis/contract/reason";
import type { Announce } from "@portcullis/contract/events";
import { expect, test } from "vitest";
import type { ListState } from "../../engines/lists/lists.model.ts";
import { listEvents } from "./list-events.ts";

const unread: ListState = { id: "ads", entries: 0, skipped: 0, bytes: 0, readAt: null, problem: null };
const read: ListState = { ...unread, entries: 3, bytes: 40, readAt: new Date(0) };

function listening() {
  const announced: unknown[] = [];
  const events = listEvents({
    nameOf: (id) => `List ${id}`,
    announce: ((name: string, about: object) => announced.push([name, about])) as unknown as Announce,
  });
  return { announced, ...events };
}

test("list events: a list is announced when it is in force, and again when it has changed", () => {
  const { announced, ...events } = listening();
  events.wanted([unread]);
  events.read([read]);
  expect(announced).toEqual([]);
  events.built([read]);
  events.built([{ ...read, readAt: new Date(1) }]);
  expect(announced).toEqual([["dns.list_updated", { id: "ads", name: "List ads", entries: 3 }]]);
  events.built([{ ...read, entries: 4, bytes: 50 }]);
  expect(announced).toHaveLength(2);
});

test("list events: the state at the start, or of a new list, is not announced", () => {
  const { announced, ...events } = listening();
  events.wanted([{ ...read, problem: because("list_empty") }]);
  events.read([{ ...read, problem: because("list_empty") }]);
  events.built([read]);
  events.wanted([]);
  events.wanted([{ ...read, entries: 9 }]);
  events.built([{ ...read, entries: 9 }]);
  expect(announced).toEqual([]);
});

test("list events: each problem is announced once, and once more when it returns", () => {
  const { announced, ...events } = listening();
  events.wanted([unread]);
  const failing = { ...unread, problem: because("list_empty") };
  for (const state of [failing, failing, unread, failing]) events.read([state]);
  const failure = ["dns.list_failed", { id: "ads", name: "List ads", ...explained(because("list_empty")) }];
  expect(announced).toEqual([failure, failure]);
});
