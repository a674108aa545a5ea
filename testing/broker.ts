import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { MadeCertificate } from "./certificates.ts";
import { until } from "./deadline.ts";
import { temporaryFolder } from "./folder.ts";

export const brokerLogin = { username: "portcullis", password: "a p4ssword" };

/** The broker of Debian, on this machine, with a password, and with TLS if there is a certificate. It forgets retained messages when it stops. */
export async function openBroker({ pair }: { readonly pair?: MadeCertificate } = {}) {
  const folder = temporaryFolder();
  const passwords = join(folder.path, "passwords");
  const config = join(folder.path, "mosquitto.conf");
  execFileSync("mosquitto_passwd", ["-c", "-b", passwords, brokerLogin.username, brokerLogin.password]);
  const port = await freePort();
  writeFileSync(
    config,
    [
      `listener ${port} 127.0.0.1`,
      "allow_anonymous false",
      `password_file ${passwords}`,
      "persistence false",
      // Otherwise the broker changes to a user that cannot read this folder.
      ...(process.getuid?.() === 0 ? ["user root"] : []),
      ...(pair ? [`certfile ${pair.cert_file}`, `keyfile ${pair.key_file}`] : []),
      "",
    ].join("\n"),
  );
  let program = await started(config, port);
  return {
    port,
    /** SIGKILL: nothing is said to the clients. */
    kill9: () => end(program, "SIGKILL"),
    start: async () => void (program = await started(config, port)),
    /** As another client of the broker. */
    publish: (topic: string, payload: string, ...flags: readonly string[]) => {
      const { username, password } = brokerLogin;
      const login = ["-u", username, "-P", password];
      execFileSync("mosquitto_pub", ["-p", String(port), ...login, "-q", "1", "-t", topic, "-m", payload, ...flags]);
    },
    subscribe: () => subscriber(port, pair ? ["--cafile", pair.cert_file] : []),
    [Symbol.asyncDispose]: async () => {
      await end(program, "SIGTERM");
      folder[Symbol.dispose]();
    },
  };
}

interface Received {
  readonly topic: string;
  /** null: it is empty. */
  readonly payload: string | null;
}

/** What a client has received: the last contents of each topic. An empty message removes it. */
async function subscriber(port: number, trust: readonly string[]) {
  const { username, password } = brokerLogin;
  const words = [
    ...trust,
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-u",
    username,
    "-P",
    password,
    "-t",
    "#",
    "-t",
    ready,
    "-q",
    "1",
    "-F",
    "%j",
  ];
  const child = spawn("mosquitto_sub", words, { stdio: ["ignore", "pipe", "inherit"] });
  const topics = new Map<string, string>();
  const messages: { readonly topic: string; readonly payload: string }[] = [];
  const subscribed = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { topic, payload: contents } = JSON.parse(line) as Received;
    if (topic === ready) return subscribed.resolve();
    const payload = contents ?? "";
    messages.push({ topic, payload });
    if (payload === "") topics.delete(topic);
    else topics.set(topic, payload);
  });
  await subscribed.promise;
  return {
    topics,
    messages,
    [Symbol.asyncDispose]: () => end(child, "SIGTERM"),
  };
}

/** Retained by the broker itself. */
const ready = "$SYS/broker/version";

async function started(config: string, port: number): Promise<ChildProcess> {
  const child = spawn("mosquitto", ["-c", config], { stdio: "ignore" });
  child.on("error", () => {}); // The port stays closed.
  await until("the broker listens", () => isOpen(port));
  return child;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
