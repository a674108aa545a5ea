import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { linux } from "./system.ts";

test("a launched program reads what it is handed, speaks into its file and is known by when it began", async () => {
  using folder = temporaryFolder();
  const output = join(folder.path, "output");
  const ended = Promise.withResolvers<string>();
  const processId = linux.launch("cat", [], { stdin: "hello\n", output, onExit: ended.resolve });
  expect(await ended.promise).toBe("exit code 0");
  expect(readFileSync(output, "utf8")).toBe("hello\n");
  expect(linux.processStart(processId)).toBeUndefined();
});

test("a program can open what it is handed by name, and nobody finds it afterwards", async () => {
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
    linux.launch("/nowhere/program", [], { stdin: "", output: join(folder.path, "output"), onExit: () => {} });
  expect(launch).toThrow("/nowhere/program cannot be started");
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

test("a line to a socket carries words both ways, and its end is told once", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const server = createServer((socket) => socket.on("data", (said) => socket.end(`heard ${said.toString()}`)));
  server.listen(path);
  await once(server, "listening");
  const heard: string[] = [];
  await new Promise<void>((ended) => linux.connectUnix(path, (line) => heard.push(line), ended).write("you"));
  expect(heard).toEqual(["heard you"]);
  server.close();
  await new Promise<void>((ended) => void linux.connectUnix(join(folder.path, "nobody"), () => {}, ended));
});
