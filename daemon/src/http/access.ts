import type { Endpoint } from "@portcullis/contract/endpoint";
import type { Caller } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import { admits } from "@portcullis/contract/role";

/** The unverified credentials of a request. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly address: string;
  /** Whether the method only reads. */
  readonly isRead: boolean;
  /** Whether a proxy passed the request on, so that the address is not the client's. */
  readonly isForwarded: () => boolean;
  /** The user who connected to the Unix socket, as verified by the kernel. */
  readonly localUser: string | undefined;
  readonly isEncrypted: boolean;
}

/** Headers that proxies add. A proxy that adds none cannot be distinguished from a client. */
const proxyHeader =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-original-.*|x-real-ip|x-(?:cluster-)?client-ip|true-client-ip|cf-connecting-ip)$/;

/** Header names are in lower case. */
export const isForwarded = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(headers).some((name) => proxyHeader.test(name));

/** Implemented by the auth subsystem: the caller, undefined if the credentials are unknown. */
export type Identify = (credentials: Credentials) => Caller | undefined;

/** Throws unless the caller has the role that the endpoint requires. */
export function requireRole({ role }: Endpoint, caller: Caller | undefined): void {
  if (role === "anyone") return;
  if (!caller) throw new Problem("unauthorized");
  if (!admits(role, caller.role)) throw new Problem("forbidden", { role: caller.role, required_role: role });
}
