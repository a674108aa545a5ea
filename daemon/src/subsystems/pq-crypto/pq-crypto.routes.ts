import type { HandlersOf } from "@portcullis/contract/handler";
import type { PqCrypto, PqMode, pqCrypto } from "@portcullis/contract/subsystems/pq-crypto";
import type { Ledger } from "../../ledger/ledger.ts";
import { type StoredPqMode, storedPqMode } from "./stored-mode.ts";

interface Needs {
  readonly ledger: Ledger;
  /** What a TLS client of the daemon offers in this mode, measured. */
  readonly measureOffer: (mode: PqMode) => Promise<Pick<PqCrypto, "groups" | "versions">>;
}

export function pqCryptoRoutes({ ledger, measureOffer }: Needs): HandlersOf<typeof pqCrypto> {
  const current = storedPqMode(ledger);
  const shown = async (): Promise<PqCrypto> => {
    const mode = current();
    return { mode, ...(await measureOffer(mode)), connections: connectionsIn(mode) };
  };
  return {
    get: shown,
    put: ({ body }, { cause }) => {
      const stored: StoredPqMode = { id: "pq_crypto_mode", value: body.mode };
      ledger.change(cause, (draft) => draft.put("setting", stored));
      return shown();
    },
  };
}

/** dnsdist queries encrypted upstreams by itself in the mode default only, and of those only the ones without `post_quantum`. */
const connectionsIn = (mode: PqMode): PqCrypto["connections"] => [
  ...(["alert_channels", "home_assistant", "external_filter", "block_lists", "address_echo"] as const).map((kind) => ({
    kind,
    program: "portcullisd" as const,
    governed: true,
  })),
  { kind: "dns_upstreams", program: "dns-proxy", governed: true },
  ...(mode === "default" ? [{ kind: "dns_upstreams", program: "dnsdist", governed: false } as const] : []),
  { kind: "captive_portal", program: "curl", governed: false },
  { kind: "openvpn", program: "openvpn", governed: false },
];
