import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { linux } from "./system.ts";

test("processes: a launched program reads its input, writes into its file and is identified by its start", async () => {
  using folder = temporaryFolder();
  const output = join(folder.path, "output");
  const ended = Promise.withResolvers<string>();
  const processId = linux.launch("cat", [], { stdin: "hello\n", output, onExit: ended.resolve });
  expect(await ended.promise).toBe("exit code 0");
  expect(readFileSync(output, "utf8")).toBe("hello\n");
  expect(linux.processStart(processId)).toBeUndefined();
});

test("processes: a program can open its input by name, and the file is gone afterwards", async () => {
  using folder = temporaryFolder();
  const output = join(folder.path, "output");
  const ended = Promise.withResolvers<string>();
  linux.launch("cat", ["/dev/stdin"], { stdin: "handed\n", output, onExit: ended.resolve });
  await ended.promise;
  expect(readFileSync(output, "utf8")).toBe("handed\n");
  const paths: string[] = [];
  const read = await linux.inMemory("secret", (path) => {
    paths.push(path);
    return linux.run("cat", [path]);
  });
  expect(read).toBe("secret");
  expect(() => readFileSync(paths[0]!)).toThrow("ENOENT");
});

test("a launched program leads a session of its own and is found by a word of its environment", async () => {
  using folder = temporaryFolder();
  const ended = Promise.withResolvers<string>();
  const word = `PORTCULLIS_TEST=${folder.path}`;
  const processId = linux.launch("env", [word, "sleep", "30"], {
    stdin: "",
    output: join(folder.path, "output"),
    onExit: ended.resolve,
  });
  try {
    expect(linux.findProcesses(word)).toEqual([{ processId, word }]);
    const began = linux.processStart(processId);
    expect(began).toMatch(/^\d+@[0-9a-f-]{36}$/);
    expect(linux.processStart(processId)).toBe(began);
    expect(linux.processStart(process.pid)).not.toBe(began);
  } finally {
    linux.signal(processId, "SIGTERM");
  }
  expect(await ended.promise).toBe("SIGTERM");
  expect(linux.findProcesses(word)).toEqual([]);
  expect(() => linux.signal(processId, "SIGTERM")).not.toThrow();
});

test("a program that is not there cannot be launched", () => {
  using folder = temporaryFolder();
  const launch = () =>
    linux.launch("/missing/program", [], { stdin: "", output: join(folder.path, "output"), onExit: () => {} });
  expect(launch).toThrow("/missing/program cannot be started");
});

test("a file that others add to is emptied only above its bound", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "output");
  writeFileSync(path, "0123456789");
  linux.emptyAbove(path, 10);
  expect(readFileSync(path, "utf8")).toBe("0123456789");
  linux.emptyAbove(path, 9);
  expect(readFileSync(path, "utf8")).toBe("");
  expect(() => linux.emptyAbove(join(folder.path, "other"), 1)).not.toThrow();
});

test("processes: a line-based socket works in both directions, and its end is reported once", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const server = createServer((socket) => socket.on("data", (bytes) => socket.end(`received ${bytes.toString()}`)));
  server.listen(path);
  await once(server, "listening");
  const received: string[] = [];
  await new Promise<void>((ended) => linux.connectUnix(path, (line) => received.push(line), ended).write("you"));
  expect(received).toEqual(["received you"]);
  server.close();
  await new Promise<void>((ended) => void linux.connectUnix(join(folder.path, "missing"), () => {}, ended));
});
