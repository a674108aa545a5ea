import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Figure } from "../testing/figure.ts";
import { median } from "./statistics.ts";

const rounds = 31;
const requestsPerRound = 2000;
/** Until V8 has optimised everything: before, half of the cost is that of cold code. */
const warmUpRequests = 30_000;
const connections = 8;

interface Server {
  readonly process: ChildProcess;
  readonly port: number;
  readonly paths: Readonly<Record<string, string>>;
  /** A header line for every request. */
  readonly header?: string;
}

/**
 * Reading devices among 10,000, compared to the bare framework with the schema serialiser, which returns the same bytes from
 * memory. The cost is the server's CPU time per request, in alternating rounds: wall-clock time depends on other load.
 */
export async function api(): Promise<Figure[]> {
  const bare = await start("./bare-server.ts");
  const ours = await start("./our-server.ts");
  try {
    return [
      await compare("GET /devices/{id}, CPU compared to Fastify alone", "one", bare, ours),
      await compare("GET /devices, page of 100, CPU compared to Fastify alone", "page", bare, ours),
    ];
  } finally {
    bare.process.kill();
    ours.process.kill();
  }
}

async function compare(name: string, path: string, bare: Server, ours: Server): Promise<Figure> {
  for (const server of [bare, ours]) await load(server, path, warmUpRequests);
  const costs: { bare: number; ours: number }[] = [];
  for (let round = 0; round < rounds; round++)
    costs.push({ bare: await load(bare, path, requestsPerRound), ours: await load(ours, path, requestsPerRound) });
  const value = median(costs.map((it) => it.ours / it.bare));
  const [ourCost, bareCost] = [median(costs.map((it) => it.ours)), median(costs.map((it) => it.bare))];
  const note = `${ourCost.toFixed(1)} µs against ${bareCost.toFixed(1)} µs of CPU per request`;
  return { name, value, unit: "×", most: 1.5, note };
}

async function start(script: string): Promise<Server> {
  const child = fork(new URL(script, import.meta.url), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [ready] = (await once(child, "message")) as [Omit<Server, "process">];
  return { process: child, ...ready };
}

/** Sends the requests and returns the server's CPU microseconds per request. */
async function load(server: Server, path: string, count: number): Promise<number> {
  const before = await cpuMicros(server);
  await Promise.all(
    Array.from({ length: connections }, () => client(server, server.paths[path]!, count / connections)),
  );
  return ((await cpuMicros(server)) - before) / count;
}

async function cpuMicros({ process: child }: Server): Promise<number> {
  child.send("cpu");
  const [micros] = (await once(child, "message")) as [number];
  return micros;
}

/** One keep-alive connection that sends a request after each response. */
async function client(
  { port, header = "Accept: application/json" }: Server,
  path: string,
  count: number,
): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${header}\r\n\r\n`;
  for (let done = 0; done < count; done++) {
    socket.write(request);
    await answered(socket);
  }
  socket.destroy();
}

function answered(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    let wanted = -1;
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (wanted < 0) {
        const head = text.indexOf("\r\n\r\n");
        if (head < 0) return;
        if (!text.startsWith("HTTP/1.1 200")) reject(new Error(text.slice(0, 200)));
        wanted = head + 4 + Number(/content-length: (\d+)/i.exec(text)![1]);
      }
      if (text.length < wanted) return;
      socket.off("data", onData);
      resolve();
    };
    socket.on("data", onData);
  });
}
