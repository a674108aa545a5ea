import { networkInterfaces } from "node:os";
import { parseAddress, formatAddress } from "../../net/addresses.ts";
import type { Call, HandlersOf } from "@portcullis/contract/handler";
import { because } from "@portcullis/contract/reason";
import { Problem } from "@portcullis/contract/problem";
import type { firstEnforcement } from "@portcullis/contract/subsystems/enforcement";
import type { Enforcement } from "../../planes/forwarding/enforcement.ts";
import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly enforcement: Enforcement;
  readonly ledger: Pick<Ledger, "change">;
  readonly whenIdle: () => Promise<unknown>;
}

/** The request that confirms the first enforcement proves that the guard accepts its sender. */
export function enforcementHandlers({ enforcement, ledger, whenIdle }: Needs): HandlersOf<typeof firstEnforcement> {
  const audited = (call: Call, details: Record<string, unknown> = {}) =>
    ledger.change(call.cause, (draft) => draft.about("enforcement", details));
  return {
    show: (_, call) => {
      // Otherwise a browser would confirm over an older connection, which the guard accepts anyway.
      if (enforcement.isProvisional()) call.setHeader("connection", "close");
      return enforcement.status();
    },
    confirm: async ({ body }, call) => {
      const reason = body?.from_console;
      // The rules are being loaded: wait instead of refusing the request.
      if (enforcement.isProvisional() && enforcement.inForceSinceMs() === undefined) await whenIdle();
      const doubt = enforcement.isProvisional() ? doubtAbout(call, enforcement.inForceSinceMs()) : undefined;
      if (doubt !== undefined && reason === undefined) {
        call.setHeader("connection", "close");
        throw new Problem("conflict", {}, { message: doubt });
      }
      enforcement.confirm(call.cause.actor, doubt === undefined ? `network: ${call.address}` : `console: ${reason}`);
      audited(call, { from: doubt === undefined ? call.address : "console", ...(reason !== undefined && { reason }) });
      return enforcement.status();
    },
    revert: async (_, call) => {
      await enforcement.revert(because("revert_requested", { actor: call.cause.actor }));
      audited(call);
      return enforcement.status();
    },
    start: async (_, call) => {
      enforcement.start();
      audited(call);
      call.setHeader("connection", "close");
      await whenIdle();
      return enforcement.status();
    },
  };
}

/** Why a request does not prove that the guard accepts its sender. */
function doubtAbout({ address, connectedAtMs }: Call, inForceSinceMs: number | undefined): string | undefined {
  if (inForceSinceMs === undefined) return "The rules are not in force yet; try again in a moment";
  if (isOwnAddress(address))
    return "This request comes from the gateway itself, which proves nothing about the network. Confirm from a device of the LAN, or give a reason for the confirmation from here (from_console; `portcullis confirm REASON`)";
  return connectedAtMs < inForceSinceMs
    ? "This connection was opened before the rules were in force, which proves nothing about new ones. Try again: the next request uses a new connection"
    : undefined;
}

/** Also true for a Unix socket, which has no remote IP address. */
function isOwnAddress(text: string): boolean {
  if (!parseAddress(spelling(text))) return true;
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map((it) => it.address) ?? []);
  return [...own, "127.0.0.1", "::1"].map(spelling).includes(spelling(text)) || spelling(text).startsWith("127.");
}

/** The canonical form of an address; an IPv4-mapped IPv6 address becomes the IPv4 address. */
function spelling(text: string): string {
  const plain = text.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
  const parsed = parseAddress(plain);
  return parsed ? formatAddress(parsed) : plain;
}
