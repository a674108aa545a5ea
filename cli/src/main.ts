import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { Misuse } from "./failure.ts";
import { run } from "./run.ts";
import { sendTo } from "./send.ts";

/** The reader of a pipe may leave early (`| head`); that is no failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

const { out, complaint } = await run(process.argv.slice(2), {
  send: sendTo(process.env["GATEWAY_ADDR"]),
  isFile,
  readFile: (path) =>
    readFile(path).catch((cause: NodeJS.ErrnoException) => {
      throw new Misuse(`${path} cannot be read (${cause.code})`, undefined, { cause });
    }),
  readStdin: (asked) => {
    if (!asked && process.stdin.isTTY) process.stderr.write("Reading JSON from the terminal; Ctrl-D ends it.\n");
    return buffer(process.stdin);
  },
});
process.exitCode = complaint?.status ?? 0;
process.stdout.write(out);
if (complaint) process.stderr.write(complaint.text);

/** Pipes count: `devices create <(jq … file)` is a path under /dev/fd. */
function isFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}
