import { createServer, type Server } from "node:net";
import type { SocksListenerSettings } from "../engines/socks-listener/socks-listener.model.ts";
import { openNames } from "./names.ts";
import { serve } from "./session.ts";

/** Resolves when the port is open. */
export async function openListener(settings: SocksListenerSettings): Promise<Server> {
  const needs = { settings, names: openNames(settings) };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => void serve(client, needs));
  server.maxConnections = maxConnections;
  const { address: host, port } = settings.listen;
  // Later errors, as of a connection that could not be accepted, end nothing.
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen({ host, port }, resolve));
  return server;
}

/** Two or three descriptors each. */
const maxConnections = 1000;
