import { api } from "@portcullis/contract/api";
import { version } from "@portcullis/contract/version";
import type { Bootstrap } from "../config/keys.ts";
import { documentHandlers } from "../http/pages.ts";
import { createServer } from "../http/server.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Auth } from "../subsystems/auth/auth.service.ts";
import { idNamed } from "../subsystems/lookup.ts";
import type { Certificate } from "../system/certificate.ts";
import { hostName } from "../system/machine.ts";
import { readDocument } from "./document-text.ts";
import { type Log, requestLog } from "./log.ts";
import type { GatewayHandlers } from "./module.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly auth: Pick<Auth, "identify">;
  readonly tls: Certificate | undefined;
  readonly handlers: Omit<GatewayHandlers, "documents">;
  readonly webFolder: string | undefined;
  /** Validate every response against the contract: for tests and development. */
  readonly checkAnswers: boolean;
  readonly log: Log;
  readonly onAnswer: (status: number) => void;
}

/** The API server of this gateway. */
export function openServer({ bootstrap, ledger, auth, tls, handlers, webFolder, checkAnswers, log, onAnswer }: Needs) {
  const { limits, listen } = bootstrap;
  return createServer({
    api,
    identify: auth.identify,
    idOf: (kind, word, location) => idNamed(ledger.staged(kind), kind, word, location),
    readYaml: readDocument,
    ownNames: [hostName(), ...listen.hosts].map((name) => name.toLowerCase()),
    tls,
    limits: {
      requestsPerMinute: limits.requests_per_minute,
      loginsPerMinute: limits.logins_per_minute,
      bodyBytes: limits.body_bytes,
      requestTimeoutSec: limits.request_timeout_sec,
    },
    webFolder,
    checkAnswers,
    nowMs: () => performance.now(),
    log: requestLog(log),
    onAnswer,
    handlers: { ...handlers, documents: documentHandlers(api, version) },
  });
}
