import { expect, test } from "vitest";
import { decryptedSecrets } from "./decrypted-secrets.ts";

/** A vault that opens nothing until somebody turns its key. */
function vault() {
  const asked: string[] = [];
  const { promise: turned, resolve: turn } = Promise.withResolvers<void>();
  const reveal = async (id: string, version: number): Promise<string> => {
    asked.push(`${id} ${version}`);
    await turned;
    if (id === "lost") throw new Error("another passphrase");
    return `value of ${id}`;
  };
  return { asked, turn, opened: decryptedSecrets(reveal) };
}

test("all are opened at the same time, each once, and one that cannot be does not keep the others", async () => {
  const { asked, turn, opened } = vault();
  const answer = opened(["a 1", "lost 1", "b 2", "a 1"]);
  expect(asked).toEqual(["a 1", "lost 1", "b 2"]);
  turn();
  expect(await answer).toEqual({ "a 1": "value of a", "b 2": "value of b" });
});

test("what is open stays open, what is lost is tried again, and what nobody names is forgotten", async () => {
  const { asked, turn, opened } = vault();
  turn();
  await opened(["a 1", "lost 1", "b 2"]);
  asked.length = 0;
  expect(await opened(["a 1", "lost 1"])).toEqual({ "a 1": "value of a" });
  expect(asked).toEqual(["lost 1"]);
  await opened(["a 1", "b 2"]);
  expect(asked).toEqual(["lost 1", "b 2"]);
});
