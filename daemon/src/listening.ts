import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { parseListenAddress } from "./bootstrap/formats.ts";
import type { Bootstrap } from "./bootstrap/keys.ts";

/** Opens the port; answers the address that was asked for, not one of those it stands for: 0.0.0.0 is not 127.0.0.1. */
export async function listenOn(app: FastifyInstance, { listen, tls }: Bootstrap): Promise<string> {
  const { host, port } = parseListenAddress(listen.api_addr)!;
  await app.listen({ host, port });
  const { port: opened } = app.server.address() as AddressInfo;
  return `${tls.enabled ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${opened}`;
}
