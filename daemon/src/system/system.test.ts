import { expect, test } from "vitest";
import { linux } from "./system.ts";

test("who follows a program hears its lines, and also that it ended and began again", async () => {
  const heard: string[] = [];
  const five = Promise.withResolvers<void>();
  function hear(what: string): void {
    heard.push(what);
    if (heard.length === 5) five.resolve();
  }
  const ear = linux.follow("echo", ["hello"], hear, () => hear("gap"));
  await five.promise;
  ear.stop();
  expect(heard).toEqual(["gap", "hello", "gap", "gap", "hello"]);
});
