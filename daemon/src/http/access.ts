import type { Endpoint } from "@portcullis/contract/endpoint";
import type { Caller } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import { admits } from "@portcullis/contract/role";

/** What a request shows of itself before anything is believed. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly address: string;
  /** Whether the method only reads. */
  readonly reading: boolean;
  /** Whether a proxy passed the request on, so that the address is not the client's. */
  readonly isForwarded: () => boolean;
  /** The user who connected to the Unix socket, as the kernel has it. */
  readonly localUser: string | undefined;
  readonly isEncrypted: boolean;
}

/** What proxies add to a request. One that adds nothing cannot be told from a client. */
const proxyHeader =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-original-.*|x-real-ip|x-(?:cluster-)?client-ip|true-client-ip|cf-connecting-ip)$/;

/** Names of headers are in small letters here. */
export const isForwarded = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(headers).some((name) => proxyHeader.test(name));

/** Answered by the auth subsystem: who is it, if anybody we know? */
export type Identify = (credentials: Credentials) => Caller | undefined;

/** Lets a caller through to an endpoint, or says why not. */
export function requireRole({ role }: Endpoint, caller: Caller | undefined): void {
  if (role === "anyone") return;
  if (!caller) throw new Problem("unauthorized");
  if (!admits(role, caller.role)) throw new Problem("forbidden", { role: caller.role, required_role: role });
}
