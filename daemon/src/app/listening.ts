import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { parseListenAddress } from "../config/formats.ts";
import type { Bootstrap } from "../config/keys.ts";
import { openLocalSocket } from "../http/local-socket.ts";
import type { Log } from "./log.ts";
import { type Certificate, ownCertificate, readPair } from "../system/certificate.ts";
import { hostName } from "../system/machine.ts";
import type { System } from "../system/system.ts";

interface Needs {
  readonly app: FastifyInstance;
  readonly bootstrap: Bootstrap;
  readonly given: ReadonlySet<string>;
  readonly log: Log;
}

/** Opens the TCP port and the Unix socket. */
export function listening({ app, bootstrap, given, log }: Needs) {
  const { listen, tls, limits } = bootstrap;
  let closeSocket = async () => {};

  /** A failure with the default path is not an error: it needs root. */
  async function openSocket(): Promise<void> {
    const path = listen.unix_socket;
    if (path === "") return;
    try {
      closeSocket = await openLocalSocket({ app, path, requestTimeoutMs: limits.request_timeout_sec * 1000 });
    } catch (error) {
      if (given.has("listen.unix_socket")) throw error;
      log.info({ path, reason: (error as Error).message }, "no Unix socket");
    }
  }
  return {
    /** Returns the configured address with the actual port. */
    open: async (): Promise<string> => {
      const { host, port } = parseListenAddress(listen.api_addr)!;
      await app.ready();
      await openSocket();
      await app.listen({ host, port });
      const { port: opened } = app.server.address() as AddressInfo;
      return `${tls.enabled ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${opened}`;
    },
    close: () => closeSocket(),
  };
}

/** The operator's certificate, or a self-signed one. */
export async function certificate(
  { tls, listen, paths }: Bootstrap,
  system: System,
  now: () => Date,
): Promise<Certificate> {
  if (tls.cert_file === undefined || tls.key_file === undefined)
    return ownCertificate(system, { folder: paths.state, names: ["localhost", hostName(), ...listen.hosts], now });
  const pair = readPair(system, tls.cert_file, tls.key_file);
  if (!pair) throw new Error(`There is no certificate at ${tls.cert_file}, or no key at ${tls.key_file}`);
  return pair;
}
