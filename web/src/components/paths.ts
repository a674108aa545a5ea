import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import type { Hop, Policy } from "@portcullis/contract/subsystems/routing";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { everyRow } from "../api/reading.ts";
import { useFormat, useWords } from "../i18n/i18n.tsx";
import { useNames } from "./names.ts";
import type { RibbonHop } from "./ribbon.tsx";

export { stateOf } from "./outcomes.ts";

/** The hops of a policy with their current state. */
export function useRibbonHops(): (hops: readonly Hop[]) => RibbonHop[] {
  const tunnels = useQuery({ ...everyRow("tunnels", "list"), refetchInterval: 5000 }).data;
  const proxies = useQuery({ ...everyRow("proxies", "list"), refetchInterval: 5000 }).data;
  const say = useWords().paths;
  const format = useFormat();
  return (hops) =>
    hops.map(({ type, target }) => {
      const fits = ({ id, name }: { readonly id: string; readonly name: string }) => [id, name].includes(target);
      if (type === "proxy") return proxyHop(target, proxies?.find(fits), say);
      if (type !== "vpn")
        return { name: target, kind: say.kinds[type], state: "unknown", isInterface: type === "interface" };
      const tunnel = tunnels?.find((it) => fits(it) || it.interface === target);
      if (!tunnel) return { name: target, kind: say.kinds.vpn, state: tunnels ? "down" : "unknown", note: say.gone };
      return tunnelHop(tunnel, say, format);
    });
}

type Say = ReturnType<typeof useWords>["paths"];

function tunnelHop({ name, type, status, rtt_ms }: Tunnel, say: Say, format: ReturnType<typeof useFormat>): RibbonHop {
  const carries = status === "up" || status === "degraded";
  return {
    name,
    kind: say.tunnelKinds[type],
    state: carries ? "up" : "down",
    note: carries && rtt_ms !== null ? format.ms(rtt_ms) : say.statuses[status],
  };
}

function proxyHop(target: string, proxy: Proxy | undefined, say: Say): RibbonHop {
  const state = proxy === undefined ? "unknown" : proxy.healthy ? "up" : "down";
  return { name: proxy?.name ?? target, kind: say.kinds.proxy, state };
}

/** "Kitchen TV goes through Amsterdam, then Zürich; blocked if either fails": a policy as a sentence. */
export function usePolicySentence(): (policy: Omit<Policy, "id" | "name" | "priority" | "enabled">) => string {
  const say = useWords().paths;
  const nameOf = useNames();
  return useCallback(
    ({ source_type, source_value, hops, fail_policy, splitting, profile_id }) =>
      say.sentence({
        source: say.sources[source_type](nameOf(source_value)),
        through: hops.map(({ target }) => nameOf(target)),
        profile: profile_id === null ? null : nameOf(profile_id),
        splitting,
        fail: fail_policy,
      }),
    [say, nameOf],
  );
}
