import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linux } from "../daemon/src/system/system.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import type { Host } from "./namespaces.ts";

/** A program on a host, started as the supervisor starts engines. It prints "done" when it has reported everything. */
export async function launchedIn(host: Host, words: readonly string[], files: readonly Uint8Array[]) {
  const folder = temporaryFolder();
  const output = join(folder.path, "output");
  let isOver = false;
  const processId = linux.launch("env", ["LAB_SECRET=1", "ip", "netns", "exec", host.namespace, ...words], {
    stdin: "",
    files,
    output,
    onExit: () => (isOver = true),
  });
  return {
    processId,
    isOver: () => isOver,
    lines: async () => {
      await until(
        "the program has reported everything",
        async () => isOver || readFileSync(output, "utf8").includes("done\n"),
      );
      return readFileSync(output, "utf8").trimEnd().split("\n");
    },
    [Symbol.dispose]: () => {
      linux.signal(-processId, "SIGKILL");
      folder[Symbol.dispose]();
    },
  };
}
