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
}

/** Answered by the auth subsystem: who is it, if anybody we know? */
export type Identify = (credentials: Credentials) => Caller | undefined;

/** Lets a caller through to an endpoint, or says why not. */
export function admit({ role }: Endpoint, caller: Caller | undefined): void {
  if (role === "anyone") return;
  if (!caller) throw new Problem("unauthorized");
  if (!admits(role, caller.role)) throw new Problem("forbidden", { role: caller.role, least_role: role });
}
