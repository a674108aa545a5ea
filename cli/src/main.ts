import { accessSync, constants, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { accessTo } from "./access.ts";
import { targetOf } from "./address.ts";
import { Misuse } from "./failure.ts";
import { knownGateways, privateText } from "./known-gateways.ts";
import { login, logout } from "./login.ts";
import { run } from "./run.ts";
import { setupConsole } from "./setup/console.ts";
import { runSetup } from "./setup/setup.ts";
import { followTo, receiveFrom, sendTo } from "./send.ts";
import { progressLine, terminalOf } from "./terminal.ts";

/** The reader of a pipe may close it early (`| head`); that is not an error. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

const {
  GATEWAY_ADDR: address,
  PORTCULLIS_KEY: key,
  PORTCULLIS_KEY_FILE: keyFile,
  PORTCULLIS_PIN: pin,
  NO_COLOR: noColor,
  TERM: term,
  XDG_CONFIG_HOME: configHome,
} = process.env;
/** How often a followed list is read again. */
const followMs = 1000;
const known = knownGateways(join(configHome || join(homedir(), ".config"), "portcullis", "gateways.json"));
// Evaluated when a command needs the gateway: help works with an invalid environment too.
const target = () => targetOf(address, canOpen);

const access = () => {
  const note = (message: string) => void process.stderr.write(`${message}\n`);
  return accessTo(target(), known, { key, keyFile, pin, readPrivate: privateText, note });
};

const { out, complaint } = await run(process.argv.slice(2), {
  send: (request) => sendTo(target(), access())(request),
  follow: (request, onMessage) => followTo(target(), access())(request, onMessage),
  receive: (request, onChunk) => receiveFrom(target(), access())(request, onChunk),
  print: (text) => void process.stdout.write(text),
  printBytes: async (bytes) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
  },
  login: () => login(target(), known, terminalOf(process.stdin, process.stderr), pin),
  logout: () => logout(target(), known),
  setup: (options) => {
    const [connection, { kind }] = [process.env["SSH_CONNECTION"], target()];
    const console = setupConsole({
      input: process.stdin,
      output: process.stdout,
      isLocal: kind === "socket",
      connection,
    });
    return runSetup(options, { send: sendTo(target(), access()), console }).finally(console.close);
  },
  ...(process.stdout.isTTY && {
    screen: { columns: process.stdout.columns || 80, colors: (noColor ?? "") === "" && term !== "dumb" },
    ...(process.stderr.isTTY && { progress: progressLine(process.stderr) }),
  }),
  now: () => new Date(),
  waitForNext: () => wait(followMs),
  isFile,
  readFile: (path) =>
    readFile(path).catch((cause: NodeJS.ErrnoException) => {
      throw new Misuse(`${path} cannot be read (${cause.code})`, undefined, { cause });
    }),
  readStdin: (isExplicit) => {
    if (!isExplicit && process.stdin.isTTY) process.stderr.write("Reading JSON from the terminal; Ctrl-D ends it.\n");
    return buffer(process.stdin);
  },
});
process.exitCode = complaint?.status ?? 0;
process.stdout.write(out);
if (complaint) process.stderr.write(complaint.text);

/** Connecting to a Unix socket needs the permission to write to it. */
function canOpen(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // It does not exist, or only root may use it: the default address is tried instead.
  }
}

/** Pipes are files too: `devices create <(jq … file)` is a path under /dev/fd. */
function isFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}
