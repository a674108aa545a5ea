import Type, { type Static } from "typebox";
import { closed } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { named, OneOf } from "../values.ts";

export const pqModes = ["default", "preferred", "required"] as const;
export type PqMode = (typeof pqModes)[number];

const mode = OneOf(pqModes, {
  description:
    "default: what the TLS library offers; preferred: post-quantum groups first, then the classic ones; required: post-quantum groups only, by TLS 1.3",
});

const connections = [
  "alert_channels",
  "home_assistant",
  "external_filter",
  "block_lists",
  "address_echo",
  "dns_upstreams",
  "captive_portal",
  "openvpn",
] as const;

export const PqCrypto = named(
  "PqCrypto",
  Type.Object({
    mode,
    groups: Type.Array(Type.String(), {
      description:
        "Groups that the daemon's TLS clients offer to a server now, in this order, read from a ClientHello of theirs. Post-quantum groups contain MLKEM",
    }),
    versions: Type.Array(Type.String(), { description: "Versions of TLS in the same ClientHello" }),
    connections: Type.Array(
      Type.Object({
        kind: OneOf(connections, { description: "Purpose of the connections" }),
        program: OneOf(["portcullisd", "dns-proxy", "dnsdist", "curl", "openvpn"], {
          description: "Program that opens them",
        }),
        governed: Type.Boolean({
          description: "false: the mode has no effect on them; their program offers what the system's TLS library does",
        }),
      }),
      { description: "Kinds of connections over TLS that the gateway opens" },
    ),
  }),
);
export type PqCrypto = Static<typeof PqCrypto>;

export const pqCrypto = {
  get: endpoint({
    method: "GET",
    path: "/pq-crypto",
    role: "viewer",
    summary: "Post-quantum key exchange in the TLS sessions that the gateway opens",
    result: PqCrypto,
    errors: [],
    cli: { words: ["pq-crypto"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/pq-crypto",
    role: "admin",
    summary: "Change the mode of post-quantum key exchange",
    description: "It applies to sessions that are opened from now on; open ones keep what they agreed upon.",
    body: named("PqCryptoUpdate", closed({ mode })),
    result: PqCrypto,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "pq_crypto" },
    cli: { words: ["pq-crypto", "set"], args: ["mode"] },
  }),
};
