import type { Reserved } from "./assigned.model.ts";

/** One OpenVPN client as it should run. It holds keys and passwords in the clear: this is never printed and never stored. */
export interface OpenvpnClient {
  readonly interface: string;
  /** Servers to try, in order; names have been looked up. */
  readonly remotes: readonly { readonly address: string; readonly port: number; readonly protocol: "udp" | "tcp" }[];
  /** What else the operator's file says, as far as it is harmless. */
  readonly directives: readonly { readonly name: string; readonly args: readonly string[] }[];
  /** Files inside the configuration by their tag: ca, cert, key, tls-crypt and so on. */
  readonly blocks: Readonly<Record<string, string>>;
  readonly credentials: { readonly username: string; readonly password: string } | null;
  readonly mtu: number;
  /** Of its own packets: their egress. */
  readonly mark: number;
  /** The user its program runs as; no other program has it. */
  readonly userId: number;
  /** What the server may not assign, besides the networks of the gateway's interfaces and its own addresses. */
  readonly reserved: readonly Reserved[];
}
