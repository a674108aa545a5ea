import { because, type Reason } from "@portcullis/contract/reason";
import { absent, brokenAfterCrashes, type LinkState } from "../link-state.ts";
import { alterationOf, type Observed, presenceOf, processName } from "./wireguard.diff.ts";
import type { WireguardLink } from "./wireguard.model.ts";

/** The state of a wanted interface: what was observed, and why the last change failed. */
export function linkStateOf(
  link: WireguardLink,
  seen: Observed,
  failures: ReadonlyMap<string, Reason>,
  countedAtMs: ReadonlyMap<string, number>,
): LinkState {
  const failure = failures.get(link.interface);
  const presence = presenceOf(link.interface, seen);
  const child = processName(link.interface);
  const state = seen.processes.find(({ name }) => name === child);
  if (presence.kind === "foreign") return broken(because("interface_foreign", { interface: link.interface }));
  const isWhole = presence.kind === "ours" && alterationOf(link, presence) === undefined;
  if (failure !== undefined && !isWhole) return broken(failure);
  if (presence.kind === "unresponsive") return broken(because("program_silent"));
  if (presence.kind !== "ours") {
    const isBroken = (state?.crashes ?? 0) >= brokenAfterCrashes;
    return { ...absent, kind: isBroken ? "broken" : "starting", reason: state?.reason ?? null };
  }
  const { peers } = presence.device;
  const handshakes = peers.flatMap(({ lastHandshakeMs }) => lastHandshakeMs ?? []);
  return {
    kind: isWhole ? "ready" : "starting",
    reason: null,
    endpoint: peers.find(({ endpoint }) => endpoint !== null)?.endpoint ?? null,
    lastHandshakeMs: handshakes.length === 0 ? null : Math.max(...handshakes),
    rxBytes: peers.reduce((sum, { rxBytes }) => sum + rxBytes, 0),
    txBytes: peers.reduce((sum, { txBytes }) => sum + txBytes, 0),
    countedAtMs: countedAtMs.get(link.interface) ?? null,
  };
}

const broken = (reason: Reason): LinkState => ({ ...absent, kind: "broken", reason });
