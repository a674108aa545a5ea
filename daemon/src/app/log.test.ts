import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test.each([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["error", ["error"]],
])("log: only what is as severe as log.level says is written: %s", (level, written) => {
  const script = `import { createLog } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))};
    const log = createLog(${JSON.stringify(level)});
    for (const severity of ["debug", "info", "warn", "error"]) log[severity](severity);`;
  const lines = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(
    lines
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
  ).toEqual(written);
});
