import { expect, test } from "vitest";
import { sendEach } from "./each-change.ts";

test("changes of many devices: those before a failure are known, so that they can be undone", async () => {
  const sent: string[] = [];
  const send = async (id: string) => {
    if (id === "c") throw new Error("no");
    sent.push(id);
  };
  expect(await sendEach(["a", "b"], send)).toEqual({ done: ["a", "b"] });
  expect(await sendEach(["a", "b", "c", "d"], send)).toEqual({ done: ["a", "b"], problem: new Error("no") });
  expect(sent).toEqual(["a", "b", "a", "b"]);
});
