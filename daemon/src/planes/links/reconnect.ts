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
 * What is done for hops that are dead. A server may have moved, or forgotten us: its name is looked up again, and hands
 * are shaken anew.
 */
export function openReconnects({ names, engines, condition, latest }: Needs) {
  const tunnels = (): readonly IntentTunnel[] => latest()?.intent.tunnels ?? [];
  const isDead = ({ id }: IntentTunnel): boolean => !isUsable(condition(id) ?? { status: "down" });

  /**
   * With WireGuard that is one packet. OpenVPN takes seconds to connect, so what may be a passing silence is let pass, and
   * an attempt is given its time.
   */
  function reconnect({ interface: name, config }: IntentTunnel, times: number): void {
    for (const host of hostsOf(config)) names.refresh(host);
    if (config.kind === "openvpn" && times % 3 !== 2) return;
    engines[config.kind].reconnect(name).catch(() => {}); // It fails when the program is dead, and that is somebody's affair already.
  }
  function atOnce(dead: readonly IntentTunnel[]): void {
    for (const it of dead.filter(isDead)) reconnect(it, 2);
  }

  return {
    /** A hop that has failed, for the n-th time somebody says so. */
    failing: (key: string, times: number): void => {
      for (const it of tunnels()) if (it.id === key) reconnect(it, times);
      for (const it of latest()?.intent.proxies ?? []) if (it.id === key) names.refresh(it.at.host.toLowerCase());
    },
    /** What runs inside a hop has gone with it, and need not wait until it notices that the hop is back. */
    inside: ({ interface: name }: IntentTunnel): void =>
      atOnce(tunnels().filter(({ id }) => outerHopOf(id, latest()!.facts) === name)),
    /** Their last attempts left by an uplink that was dead, and the next would take seconds to come. */
    afterUplink: (): void => atOnce(tunnels().filter(({ id }) => condition(id)?.status === "failed")),
    /** Only a handshake tells a tunnel that its server is elsewhere. An OpenVPN client is started anew for that. */
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
