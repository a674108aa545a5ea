import { type Cidr, contains, parseAddress } from "../../net/addresses.ts";
import type { Caller } from "@portcullis/contract/handler";

/** The unverified credentials of a request. */
export interface Presented {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** Remote address of the socket. */
  readonly address: string;
  /** Whether the method only reads. */
  readonly isRead: boolean;
  /** Whether a proxy forwarded it: then the address belongs to the proxy, not to the client. */
  readonly isForwarded: () => boolean;
  /** The peer's user on the Unix socket: root, or the daemon's own. */
  readonly localUser: string | undefined;
  readonly isEncrypted: boolean;
}

interface Needs {
  readonly enabled: boolean;
  readonly localNet: Cidr | undefined;
  readonly byKey: (bearer: string) => Caller | undefined;
  readonly bySession: (token: string) => Caller | undefined;
}

/**
 * Identifies the caller of a request. A valid credential decides. An invalid credential is never better than none: a client with
 * a revoked key is refused even where reading needs no key. Without a credential, a client on the Unix socket is admin, every
 * client is admin if authentication is off, and a direct client of auth.local_net may read.
 */
export const identifier =
  ({ enabled, localNet, byKey, bySession }: Needs) =>
  ({ authorization, cookie, address, isRead, isForwarded, localUser, isEncrypted }: Presented): Caller | undefined => {
    const open: Caller | undefined = enabled ? undefined : { actor: "anonymous", role: "admin", via: "open" };
    const bearer = authorization === undefined ? undefined : bearerIn(authorization);
    if (bearer !== undefined) return byKey(bearer) ?? open;
    const token = cookie === undefined ? undefined : cookieValue(cookie, cookieName(isEncrypted));
    const session = token ? bySession(token) : undefined;
    if (session) return session;
    const isPresenting = authorization !== undefined || !!token;
    if (localUser !== undefined && !isPresenting && !isForwarded())
      return { actor: `local:${localUser}`, role: "admin", via: "socket" };
    if (open) return open;
    if (isPresenting || !isRead || !isInside(localNet, address) || isForwarded()) return undefined;
    return { actor: "local", role: "admin", via: "local" };
  };

/** With the prefix, a browser accepts the cookie from this host over TLS only. */
export const cookieName = (isEncrypted: boolean): string =>
  isEncrypted ? "__Host-gateway_session" : "gateway_session";

const bearerIn = (authorization: string): string | undefined => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

function cookieValue(header: string, wanted: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === wanted)?.[1];
}

function isInside(network: Cidr | undefined, address: string): boolean {
  const parsed = parseAddress(address);
  return network !== undefined && parsed !== undefined && contains(network, parsed);
}
