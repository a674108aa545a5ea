import type { Announce } from "@portcullis/contract/events";
import type { Ledger } from "../../ledger/ledger.ts";

/** A failed login. */
export interface FailedLogin {
  readonly method: "password" | "key" | "setup_code";
  /** Only if the account exists: users sometimes type their password into the wrong field. */
  readonly username: string | null;
  readonly address: string;
}

interface Needs {
  readonly ledger: Ledger;
  readonly announce: Announce;
  readonly nowMs: () => number;
}

/** Limit of recorded failures per minute, so that a flood does not fill the audit log. */
const perMinute = 60;

export function recordFailedLogins({ ledger, announce, nowMs }: Needs): (failed: FailedLogin) => void {
  let credit = perMinute;
  let atMs = nowMs();
  let omitted = 0;
  return ({ method, username, address }) => {
    const now = nowMs();
    credit = Math.min(perMinute, credit + (Math.max(0, now - atMs) * perMinute) / 60_000);
    atMs = now;
    if (credit < 1) {
      omitted += 1;
      return;
    }
    credit -= 1;
    const facts = { method, username, address, omitted };
    ledger.change({ actor: "anonymous", action: "login_failed", resourceType: "session" }, (draft) =>
      draft.about(username ?? method, facts),
    );
    announce("auth.login_failed", facts);
    omitted = 0;
  };
}
