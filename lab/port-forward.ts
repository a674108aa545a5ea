import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder } from "../testing/folder.ts";
import type { Host } from "./namespaces.ts";

export interface PortForward extends AsyncDisposable {
  /** On 127.0.0.1 of this machine. */
  readonly port: number;
}

/** Runs inside the host: a Unix socket is reachable from outside of a network namespace. */
const inside = `
  const { connect, createServer } = require("node:net");
  const [path, port] = process.argv.slice(1);
  createServer((client) => {
    const server = connect(Number(port), "127.0.0.1");
    client.pipe(server).pipe(client);
    for (const it of [client, server]) it.on("error", () => void (client.destroy(), server.destroy()));
  }).listen(path, () => console.log("ready"));`;

/** Forwards a port of this machine's loopback interface to one of a host's. 0: any free port. */
export async function forwardPort(host: Host, port: number, to: number): Promise<PortForward> {
  const folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const forwarder = host.start(process.execPath, "--eval", inside, path, String(to));
  await once(createInterface({ input: forwarder.stdout! }), "line");
  const server = createServer((client) => {
    const through = connect(path);
    client.pipe(through).pipe(client);
    for (const it of [client, through])
      it.on("error", () => {
        client.destroy();
        through.destroy();
      });
  });
  const disposeFolder = () => folder[Symbol.dispose]();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    disposeFolder();
    throw error;
  }
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((done) => {
        server.close(() => done());
        // Event streams of browsers would last for ever.
        forwarder.kill("SIGKILL");
      });
      disposeFolder();
    },
  };
}
