import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { parseListenAddress } from "../config/formats.ts";
import type { Bootstrap } from "../config/keys.ts";
import { openLocalSocket } from "../http/local-socket.ts";
import type { Log } from "./log.ts";
import { openApiCertificate } from "../host/api-certificate.ts";
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

/** The certificate of the API server; undefined: it has no TLS. */
export async function certificate({ bootstrap: { tls, listen, paths }, ...needs }: CertificateNeeds) {
  if (!tls.enabled) return undefined;
  const files =
    tls.cert_file === undefined || tls.key_file === undefined ? undefined : { cert: tls.cert_file, key: tls.key_file };
  const names = ["localhost", hostName(), ...listen.hosts];
  return openApiCertificate({ ...needs, files, folder: paths.state, names });
}

interface CertificateNeeds {
  readonly bootstrap: Bootstrap;
  readonly system: System;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}
