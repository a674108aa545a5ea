import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import type { SocksListenerSettings } from "../engines/socks-listener/socks-listener.model.ts";
import { associate } from "./associate.ts";
import { connectToAny } from "./connect.ts";
import {
  addressSize,
  commands,
  type Destination,
  destinationOf,
  methods,
  replies,
  type Reply,
  replyMessage,
  version,
} from "./message.ts";
import type { Needs } from "./names.ts";
import { type Reader, readerOf } from "./reader.ts";

/** One connection of a client, until it ends. */
export async function serve(client: Socket, needs: Needs): Promise<void> {
  const gone = new AbortController();
  client.once("close", () => gone.abort());
  client.on("error", () => {}); // The close event follows.
  const limit = setTimeout(() => client.destroy(), handshakeMs);
  client.once("close", () => clearTimeout(limit));
  try {
    const reader = readerOf(client);
    if (!(await isAuthenticated(client, reader, needs.settings.credentials))) return dismiss(client);
    const request = await requestOf(reader);
    reader.release();
    clearTimeout(limit);
    if (typeof request === "number") return dismiss(client, request);
    if (request.command === commands.associate) await associate(client, request.to, needs);
    else await forward(client, request.to, { ...needs, signal: gone.signal });
  } catch {
    client.destroy(); // It ended, or sent something other than SOCKS5.
  }
}

/** Ends it with a reply. A client that does not end its own side is not waited for. */
function dismiss(client: Socket, reply?: Reply): void {
  if (reply !== undefined) client.write(replyMessage(reply));
  client.end().resume();
  const limit = setTimeout(() => client.destroy(), lingerMs);
  client.once("close", () => clearTimeout(limit));
}

async function isAuthenticated(
  client: Socket,
  { take }: Reader,
  credentials: SocksListenerSettings["credentials"],
): Promise<boolean> {
  const [first, count] = await take(2);
  if (first !== version) throw new Error("Not SOCKS5");
  const offered = await take(count!);
  const method = credentials ? methods.password : methods.none;
  if (!offered.includes(method)) {
    client.write(Buffer.from([version, methods.noneAcceptable]));
    return false;
  }
  client.write(Buffer.from([version, method]));
  if (!credentials) return true;
  const [negotiation, size] = await take(2);
  if (negotiation !== 1) throw new Error("Not RFC 1929");
  const username = await take(size!);
  const password = await take((await take(1))[0]!);
  // Both are compared, in constant time.
  const isValid = [isEqual(username, credentials.username), isEqual(password, credentials.password)].every(Boolean);
  client.write(Buffer.from([1, isValid ? 0 : 1]));
  return isValid;
}

const isEqual = (sent: Buffer, expected: string): boolean => timingSafeEqual(digest(sent), digest(expected));
const digest = (text: Buffer | string): Buffer => createHash("sha256").update(text).digest();

type Request = { readonly command: number; readonly to: Destination };

/** The request, or the reply to one that cannot be fulfilled. */
async function requestOf({ take }: Reader): Promise<Request | Reply> {
  const [first, command, , type] = await take(4);
  if (first !== version) throw new Error("Not SOCKS5");
  const next = await take(1);
  const size = addressSize(type!, next[0]!);
  if (size === undefined) return replies.addressUnsupported;
  const to = destinationOf(type!, Buffer.concat([next, await take(size - 1 + 2)]));
  if (command !== commands.connect && command !== commands.associate) return replies.commandUnsupported;
  return to ? { command, to } : replies.hostUnreachable;
}

async function forward(
  client: Socket,
  to: Destination,
  needs: Needs & { readonly signal: AbortSignal },
): Promise<void> {
  const { settings, names, signal } = needs;
  const addresses = await names.addressesOf(to.host);
  if (addresses.length === 0) return dismiss(client, replies.hostUnreachable);
  const { sources } = settings;
  const server = await connectToAny(addresses.slice(0, maxAttempts), to.port, { sources, signal }).catch(reasonOf);
  if (typeof server === "number") return dismiss(client, server);
  for (const it of [client, server]) it.setKeepAlive(true, keepAliveMs);
  client.write(replyMessage(replies.succeeded, { host: server.localAddress!, port: server.localPort! }));
  join(client, server);
}

const reasonOf = (error: NodeJS.ErrnoException): Reply =>
  ({ ECONNREFUSED: replies.refused, ENETUNREACH: replies.networkUnreachable, EHOSTUNREACH: replies.hostUnreachable })[
    error.code ?? ""
  ] ?? replies.failed;

/** Each end of one is passed on to the other; a failure ends both. */
function join(client: Socket, server: Socket): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", (hadError) => void (hadError && to.destroy()));
    from.pipe(to);
  }
}

const handshakeMs = 30_000;
const lingerMs = 5000;
const keepAliveMs = 60_000;
const maxAttempts = 4;
