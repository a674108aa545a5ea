import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signatureOf } from "./senders.ts";

const page = join(import.meta.dirname, "../../../../docs/guide/alert-channels.md");

test("signature: the program of the guide accepts a message of the gateway, and no other one, and none that is old", () => {
  const [, program] = /```python\n([^`]*)```/.exec(readFileSync(page, "utf8"))!;
  const body = JSON.stringify({ title: "Köln" });
  const signature = signatureOf("between us", "1000000000", body);
  const check = (changed: object) => {
    const it = { secret: "between us", timestamp: "1000000000", body, signature, now: 1_000_000_200, ...changed };
    const call = "m=json.loads(sys.argv[1]); m['body']=m['body'].encode(); print(is_from_gateway(**m))";
    return execFileSync("python3", ["-c", `${program}\nimport json, sys\n${call}`, JSON.stringify(it)], {
      encoding: "utf8",
    }).trim();
  };
  expect(check({})).toBe("True");
  for (const changed of [
    { secret: "another" },
    { body: `${body} ` },
    { timestamp: "1000000001" },
    { now: 1_000_000_400 },
    { signature: "sha256=" },
  ])
    expect([changed, check(changed)]).toEqual([changed, "False"]);
});
