import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import type { Hop, Policy } from "@portcullis/contract/subsystems/routing";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { allRows } from "../api/queries.ts";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { useNames } from "./names.ts";
import type { RibbonHop } from "./ribbon.tsx";

export { stateOf } from "./outcomes.ts";

/** The hops of a policy with their current state. */
export function useRibbonHops(): (hops: readonly Hop[]) => RibbonHop[] {
  const tunnels = useQuery({ ...allRows("tunnels", "list"), refetchInterval: 5000 }).data;
  const proxies = useQuery({ ...allRows("proxies", "list"), refetchInterval: 5000 }).data;
  const t = useTranslation().paths;
  const format = useFormat();
  return (hops) =>
    hops.map(({ type, target }) => {
      const fits = ({ id, name }: { readonly id: string; readonly name: string }) => [id, name].includes(target);
      if (type === "proxy") return proxyHop(target, proxies?.find(fits), t);
      if (type !== "vpn")
        return { name: target, kind: t.kinds[type], state: "unknown", isInterface: type === "interface" };
      const tunnel = tunnels?.find((it) => fits(it) || it.interface === target);
      if (!tunnel) return { name: target, kind: t.kinds.vpn, state: tunnels ? "down" : "unknown", note: t.gone };
      return tunnelHop(tunnel, t, format);
    });
}

type Texts = ReturnType<typeof useTranslation>["paths"];

function tunnelHop({ name, type, status, rtt_ms }: Tunnel, t: Texts, format: ReturnType<typeof useFormat>): RibbonHop {
  const isUp = status === "up" || status === "degraded";
  return {
    name,
    kind: t.tunnelKinds[type],
    state: isUp ? "up" : "down",
    note: isUp && rtt_ms !== null ? format.ms(rtt_ms) : t.statuses[status],
  };
}

function proxyHop(target: string, proxy: Proxy | undefined, t: Texts): RibbonHop {
  const state = proxy === undefined ? "unknown" : proxy.healthy ? "up" : "down";
  return { name: proxy?.name ?? target, kind: t.kinds.proxy, state };
}

/** "Kitchen TV goes through Amsterdam, then Zürich; blocked if either fails": a policy as a sentence. */
export function usePolicySentence(): (policy: Omit<Policy, "id" | "name" | "priority" | "enabled">) => string {
  const t = useTranslation().paths;
  const nameOf = useNames();
  return useCallback(
    ({ source_type, source_value, hops, fail_policy, splitting, profile_id, schedule_id }) => {
      const sentence = t.sentence({
        source: t.sources[source_type](nameOf(source_value)),
        through: hops.map(({ target }) => nameOf(target)),
        profile: profile_id === null ? null : nameOf(profile_id),
        splitting,
        fail: fail_policy,
      });
      return schedule_id ? t.whileActive(nameOf(schedule_id), sentence) : sentence;
    },
    [t, nameOf],
  );
}
