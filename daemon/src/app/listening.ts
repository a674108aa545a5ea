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

/** Opens the port, and the Unix socket beside it. */
export function listening({ app, bootstrap, given, log }: Needs) {
  const { listen, tls, limits } = bootstrap;
  let closeSocket = async () => {};

  /** The default one may be impossible here, for example without root. */
  async function openSocket(): Promise<void> {
    const path = listen.unix_socket;
    if (path === "") return;
    try {
      closeSocket = await openLocalSocket({ app, path, requestTimeoutMs: limits.request_timeout_sec * 1000 });
    } catch (error) {
      if (given.has("listen.unix_socket")) throw error;
      log.info({ path, reason: (error as Error).message }, "there is no Unix socket");
    }
  }
  return {
    /** Answers the address that was asked for, not one of those it stands for: 0.0.0.0 is not 127.0.0.1. */
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

/** The operator's certificate, or one of our own. */
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
