import { expect, test } from "vitest";
import { decryptedSecrets } from "./decrypted-secrets.ts";

/** A vault that opens nothing until `turn` is called. */
function vault() {
  const requested: string[] = [];
  const { promise: turned, resolve: turn } = Promise.withResolvers<void>();
  const reveal = async (id: string, version: number): Promise<string> => {
    requested.push(`${id} ${version}`);
    await turned;
    if (id === "lost") throw new Error("another passphrase");
    return `value of ${id}`;
  };
  return { requested, turn, opened: decryptedSecrets(reveal) };
}

test("secrets: all are decrypted in parallel, each once, and a failure does not delay the others", async () => {
  const { requested, turn, opened } = vault();
  const answer = opened(["a 1", "lost 1", "b 2", "a 1"]);
  expect(requested).toEqual(["a 1", "lost 1", "b 2"]);
  turn();
  expect(await answer).toEqual({ "a 1": "value of a", "b 2": "value of b" });
});

test("secrets: decrypted ones are kept, failed ones are tried again, and unused ones are dropped", async () => {
  const { requested, turn, opened } = vault();
  turn();
  await opened(["a 1", "lost 1", "b 2"]);
  requested.length = 0;
  expect(await opened(["a 1", "lost 1"])).toEqual({ "a 1": "value of a" });
  expect(requested).toEqual(["lost 1"]);
  await opened(["a 1", "b 2"]);
  expect(requested).toEqual(["lost 1", "b 2"]);
});
