import type { AlertRuleName } from "@portcullis/contract/subsystems/alerts";
import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { LinkButton } from "../../ui/button.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { measuredEveryMs, useFallbackInterval } from "../../api/live.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { BlockDevice, BlockPolicy } from "../../components/blocking.tsx";
import { isFallback, isUsed } from "../../components/outcomes.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { isGatewayLeaking } from "../../components/privacy/verdicts.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

/** Something that a person should decide or repair. */
interface Matter {
  readonly key: string;
  readonly icon: IconName;
  readonly tone: "leaking" | "direct" | "accent";
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly action: ReactNode;
}

const maxOfKind = 6;

/** Alerts with these rules are about something that is listed with an action of its own. */
const listedOtherwise: ReadonlySet<AlertRuleName> = new Set([
  "leak-detected",
  "killswitch-engaged",
  "direct-fallback",
  "tunnel-down",
  "new-device",
]);

/** Leaks, direct connections and failures first; then what is new; then what can wait. undefined: not everything is read. */
export function useMatters(): readonly Matter[] | undefined {
  const { home: t } = useTranslation();
  const { found: leaks, lastVerdict, query } = useLeaks();
  const link = (to: string, action: string) => <LinkButton to={to}>{action}</LinkButton>;
  const gateway = t.verdicts({ kind: "gateway leaking" });
  const failures = useFailures(link);
  const news = useNews(link);
  if (!query.data || !failures || !news) return undefined;
  return [
    ...(isGatewayLeaking(lastVerdict, leaks)
      ? [
          {
            key: "gateway leak",
            icon: "warn",
            tone: "leaking",
            title: gateway.title,
            detail: gateway.detail,
            action: link("/privacy", t.look),
          } as const,
        ]
      : []),
    ...leaks.slice(0, maxOfKind).map(
      ({ device_id, name }): Matter => ({
        key: `leak ${device_id}`,
        icon: "warn",
        tone: "leaking",
        title: <Link href={`/devices/${device_id}`}>{t.leaks(name)}</Link>,
        detail: t.leaksDetail,
        action: <BlockDevice id={device_id} />,
      }),
    ),
    ...(leaks.length > maxOfKind
      ? [
          {
            key: "leaks",
            icon: "warn",
            tone: "leaking",
            title: t.moreLeak(leaks.length - maxOfKind),
            action: link("/privacy?posture=leaking", t.look),
          } as const,
        ]
      : []),
    ...failures,
    ...news,
  ];
}

type LinkTo = (to: string, action: string) => ReactNode;

function useFailures(link: LinkTo): Matter[] | undefined {
  const { home: t } = useTranslation();
  const why = useReason();
  const may = useMay();
  const every = useFallbackInterval(10_000);
  const tunnels = useQuery({ ...allRows("tunnels", "list"), enabled: may(["tunnels", "list"]) }).data;
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), enabled: may(["tunnels", "egress"]) }).data;
  const observer = apiQuery("status", "observer");
  const parts = useQuery({ ...observer, refetchInterval: every || measuredEveryMs }).data?.components;
  if (!tunnels || !egress || !parts) return undefined;
  return [
    ...egress
      .filter(isUsed)
      .filter(isFallback)
      .slice(0, maxOfKind)
      .map(
        ({ policy_id, policy, hops }): Matter => ({
          key: `fallback ${policy_id}`,
          icon: "warn",
          tone: "direct",
          title: <Link href={`/routing?open=${policy_id}`}>{t.fallsBack(policy)}</Link>,
          detail: t.fallsBackDetail(downOf(hops, tunnels).join(", ")),
          action: <BlockPolicy id={policy_id} />,
        }),
      ),
    ...tunnels
      .filter(({ enabled, status }) => enabled && status === "failed")
      .map(
        (tunnel): Matter => ({
          key: `tunnel ${tunnel.id}`,
          icon: "cross",
          tone: "direct",
          title: t.tunnelDown(tunnel.name),
          detail: why.sentence(tunnel),
          action: link(`/tunnels?open=${tunnel.id}`, t.look),
        }),
      ),
    ...parts
      // Whether any device has internet access is part of the verdict.
      .filter(({ name, status }) => status === "failed" && name !== "egress")
      .map(
        ({ name, message }): Matter => ({
          key: `part ${name}`,
          icon: "cross",
          tone: "direct",
          title: t.partFailed(name),
          detail: message,
          action: link(name.startsWith("dns") ? "/dns" : "/network", t.look),
        }),
      ),
  ];
}

function useNews(link: LinkTo): Matter[] | undefined {
  const { home: t, alerts: alertTexts, anomalies: anomalyTexts } = useTranslation();
  const why = useReason();
  const may = useMay();
  const fresh = useQuery({
    ...apiQuery("devices", "list", { query: { state: "new", limit: maxOfKind } }),
    enabled: may(["devices", "list"]),
  }).data;
  const unknown = useQuery({
    ...apiQuery("discovery", "list", { query: { known: false, limit: 1 } }),
    enabled: may(["discovery", "list"]),
  }).data;
  const alerts = useQuery({ ...apiQuery("alerts", "active"), enabled: may(["alerts", "active"]) }).data;
  const anomalies = useQuery({
    ...apiQuery("anomalies", "list", { query: { state: "open", limit: maxOfKind } }),
    enabled: may(["anomalies", "list"]),
  }).data?.items;
  const staged = useQuery({ ...apiQuery("changes", "show"), enabled: may(["changes", "show"]) }).data?.staged;
  const lists = useQuery({ ...allRows("dnsPresets", "list"), enabled: may(["dnsPresets", "list"]) }).data ?? [];
  if (!alerts || !staged || !unknown || !fresh) return undefined;
  const unknownCount = unknown.total ?? 0;
  return [
    ...alerts
      .filter(({ state, rule }) => state === "active" && !listedOtherwise.has(rule))
      .slice(0, maxOfKind)
      .map(
        (alert): Matter => ({
          key: `alert ${alert.id}`,
          icon: "alerts",
          tone: "direct",
          title: alertTexts.rules[alert.rule],
          detail: why.sentence(alert),
          action: link("/alerts", t.look),
        }),
      ),
    ...(unknownCount > 0
      ? [
          {
            key: "unknown",
            icon: "unknownDevice",
            tone: "accent",
            title: t.unknownDevices(unknownCount),
            detail: unknown.items[0]?.suggested_name,
            action: link("/devices", t.identify),
          } as const,
        ]
      : []),
    ...fresh.items.map(
      ({ id, name, mac }): Matter => ({
        key: `device ${id}`,
        icon: "unknownDevice",
        tone: "accent",
        title: t.newDevice(name),
        detail: mac,
        action: link(`/devices/${id}`, t.identify),
      }),
    ),
    ...(anomalies ?? []).map(
      (it): Matter => ({
        key: `anomaly ${it.id}`,
        icon: "anomalies",
        tone: "accent",
        title: anomalyTexts.kinds[it.kind],
        detail: it.device_name,
        action: link("/anomalies", t.look),
      }),
    ),
    ...(staged.length > 0
      ? [
          {
            key: "staged",
            icon: "changes",
            tone: "accent",
            title: t.staged(staged.length),
            detail: t.stagedDetail,
            action: link("/changes", t.review),
          } as const,
        ]
      : []),
    ...lists
      .filter(({ enabled, problem }) => enabled && problem !== "")
      .slice(0, maxOfKind)
      .map(
        ({ id, name, problem }): Matter => ({
          key: `list ${id}`,
          icon: "dns",
          tone: "accent",
          title: t.listFailed(name),
          detail: problem,
          action: link("/dns?tab=lists", t.look),
        }),
      ),
  ];
}

/** The hops that are known to be down; all of them if none is. */
function downOf(hops: TunnelEgress["hops"], tunnels: readonly Pick<Tunnel, "id" | "name">[]): string[] {
  const down = hops.filter(({ status }) => status !== null && status !== "up" && status !== "degraded");
  const named = new Map(tunnels.map(({ id, name }) => [id, name]));
  return (down.length > 0 ? down : hops).map(({ tunnel_id, target }) => named.get(tunnel_id ?? "") ?? target);
}
