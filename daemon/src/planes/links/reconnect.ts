import type { Compiled } from "../inputs.ts";
import { outerHopOf, hostsOf } from "../../compiler/links/links.ts";
import type { IntentTunnel } from "../../compiler/input/intent.ts";
import { isUsable } from "../../health/link-state.machine.ts";
import type { Health } from "../../health/health.ts";
import type { ServerAddresses } from "../../monitors/server-addresses.ts";

interface Reconnectable {
  readonly reconnect: (interfaceName: string) => Promise<void>;
}

interface Needs {
  readonly names: Pick<ServerAddresses, "refresh">;
  readonly engines: Readonly<Record<IntentTunnel["config"]["kind"], Reconnectable>>;
  readonly condition: Health["condition"];
  readonly latest: () => Compiled | undefined;
}

/**
 * Reconnects tunnels that are down. A server may have a new address, or have lost the session: its hostname is resolved again,
 * and a new handshake begins.
 */
export function openReconnects({ names, engines, condition, latest }: Needs) {
  const tunnels = (): readonly IntentTunnel[] => latest()?.intent.tunnels ?? [];
  const isDead = ({ id }: IntentTunnel): boolean => !isUsable(condition(id) ?? { status: "down" });

  /**
   * For WireGuard that is one packet. OpenVPN takes seconds to connect, so it reconnects only at every third failure: an outage may
   * be short, and an attempt needs time.
   */
  function reconnect({ interface: name, config }: IntentTunnel, times: number): void {
    for (const host of hostsOf(config)) names.refresh(host);
    if (config.kind === "openvpn" && times % 3 !== 2) return;
    engines[config.kind].reconnect(name).catch(() => {}); // It fails if the program is dead; the supervisor restarts that.
  }
  function atOnce(dead: readonly IntentTunnel[]): void {
    for (const it of dead.filter(isDead)) reconnect(it, 2);
  }

  return {
    /** After the n-th failure of a link in a row. */
    failing: (key: string, times: number): void => {
      for (const it of tunnels()) if (it.id === key) reconnect(it, times);
      for (const it of latest()?.intent.proxies ?? []) if (it.id === key) names.refresh(it.at.host.toLowerCase());
    },
    /** Tunnels inside a hop that is up again reconnect at once, instead of at their next attempt. */
    inside: ({ interface: name }: IntentTunnel): void =>
      atOnce(tunnels().filter(({ id }) => outerHopOf(id, latest()!.facts) === name)),
    /** Their last attempts used an uplink that was down, and the next would come seconds later. */
    afterUplink: (): void => atOnce(tunnels().filter(({ id }) => condition(id)?.status === "failed")),
    /** A WireGuard tunnel uses its server's new address after a handshake. An OpenVPN client is restarted for that. */
    moved: (before: Compiled, now: Compiled): void =>
      atOnce(
        now.intent.tunnels.filter(
          ({ config }) =>
            config.kind === "wireguard" &&
            hostsOf(config).some((host) => before.facts.addresses?.[host] !== now.facts.addresses?.[host]),
        ),
      ),
  };
}
