import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { BlockDevice, BlockPolicy } from "../../components/blocking.tsx";
import { isFallback, isUsed } from "../../components/outcomes.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

interface Matter {
  readonly key: string;
  readonly text: ReactNode;
  readonly actions: ReactNode;
}

/** Items that need attention, the worst first, each with its action. Hidden if there are none. */
export function Attention() {
  const { home: t } = useTranslation();
  const matters = useMatters();
  if (matters.length === 0) return null;
  return (
    <Card title={t.attention(matters.length)}>
      <ul className="stack tight">
        {matters.map(({ key, text, actions }) => (
          <li key={key} className="row spread">
            <span className="grow wrap">{text}</span>
            <div className="row">{actions}</div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const maxShown = 6;

function useMatters(): Matter[] {
  const { home: t } = useTranslation();
  const why = useReason();
  const may = useMay();
  const fresh = useQuery({
    ...apiQuery("devices", "list", { query: { state: "new", limit: maxShown } }),
    enabled: may(["devices", "list"]),
  }).data;
  const staged = useQuery({ ...apiQuery("changes", "show"), enabled: may(["changes", "show"]) }).data?.staged ?? [];
  const tunnels = useQuery({ ...allRows("tunnels", "list"), enabled: may(["tunnels", "list"]) }).data ?? [];
  const parts = useQuery({ ...apiQuery("status", "observer"), refetchInterval: 10_000 }).data?.components ?? [];
  const lists = useQuery({ ...allRows("dnsPresets", "list"), enabled: may(["dnsPresets", "list"]) }).data ?? [];
  const unknown = useQuery({
    ...apiQuery("discovery", "list", { query: { known: false, limit: 1 } }),
    enabled: may(["discovery", "list"]),
    refetchInterval: 10_000,
  }).data;
  const { found: leaks } = useLeaks();
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), enabled: may(["tunnels", "egress"]) }).data ?? [];
  const fallbacks = egress.filter(isUsed).filter(isFallback);
  const link = (to: string, action: string) => <LinkButton to={to}>{action}</LinkButton>;
  const dead = tunnels.filter(({ enabled, status }) => enabled && status === "failed");
  return [
    ...leaks.slice(0, maxShown).map(({ device_id, name }) => ({
      key: `leak ${device_id}`,
      text: <State state="leaking" text={t.leaks(name)} />,
      actions: (
        <>
          {link(`/devices/${device_id}`, t.look)}
          <BlockDevice id={device_id} />
        </>
      ),
    })),
    ...(leaks.length > maxShown
      ? [
          {
            key: "leaks",
            text: <State state="leaking" text={t.moreLeak(leaks.length - maxShown)} />,
            actions: link("/privacy?posture=leaking", t.look),
          },
        ]
      : []),
    ...fallbacks.slice(0, maxShown).map(({ policy_id, policy, hops }) => ({
      key: `fallback ${policy_id}`,
      text: <State state="direct" text={t.fallsBack(policy, downOf(hops, tunnels).join(", "))} />,
      actions: (
        <>
          <LinkButton to={`/routing?open=${policy_id}`} needs={["routing", "update"]}>
            {t.otherTunnel}
          </LinkButton>
          <BlockPolicy id={policy_id} />
        </>
      ),
    })),
    ...dead.map((tunnel) => ({
      key: `tunnel ${tunnel.id}`,
      text: t.tunnelDown(tunnel.name, why.clause(tunnel)),
      actions: link(`/tunnels?open=${tunnel.id}`, t.look),
    })),
    ...parts
      // Whether any device has internet access is part of the verdict.
      .filter(({ name, status }) => status === "failed" && name !== "egress")
      .map(({ name, message }) => ({
        key: `part ${name}`,
        text: t.partFailed(name, message),
        actions: link(name.startsWith("dns") ? "/dns" : "/network", t.look),
      })),
    ...(fresh?.items ?? []).map(({ id, name, mac }) => ({
      key: `device ${id}`,
      text: t.newDevice(name, mac),
      actions: link(`/devices/${id}`, t.identify),
    })),
    ...(unknown?.total
      ? [
          {
            key: "unknown",
            text: <State state="unknown" text={t.unknownDevices(unknown.total)} />,
            actions: link("/devices", t.identify),
          },
        ]
      : []),
    ...(staged.length > 0
      ? [{ key: "staged", text: t.staged(staged.length), actions: link("/changes", t.review) }]
      : []),
    ...lists
      .filter(({ enabled, problem }) => enabled && problem !== "")
      .slice(0, maxShown)
      .map(({ id, name, problem }) => ({
        key: `list ${id}`,
        text: t.listFailed(name, problem),
        actions: link("/dns?tab=lists", t.look),
      })),
  ];
}

/** The hops that are known to be down; all of them if none is. */
function downOf(hops: TunnelEgress["hops"], tunnels: readonly Pick<Tunnel, "id" | "name">[]): string[] {
  const down = hops.filter(({ status }) => status !== null && status !== "up" && status !== "degraded");
  const named = new Map(tunnels.map(({ id, name }) => [id, name]));
  return (down.length > 0 ? down : hops).map(({ tunnel_id, target }) => named.get(tunnel_id ?? "") ?? target);
}
