import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { everyRow, reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { BlockDevice, BlockPolicy } from "../../components/blocking.tsx";
import { isFallback, isUsed } from "../../components/outcomes.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { useWords } from "../../i18n/i18n.tsx";

interface Matter {
  readonly key: string;
  readonly says: ReactNode;
  readonly actions: ReactNode;
}

/** Items that need attention, the worst first, each with its action. Hidden if there are none. */
export function Attention() {
  const { home: say } = useWords();
  const matters = useMatters();
  if (matters.length === 0) return null;
  return (
    <Card title={say.attention(matters.length)}>
      <ul className="stack tight">
        {matters.map(({ key, says, actions }) => (
          <li key={key} className="row spread">
            <span className="grow wrap">{says}</span>
            <div className="row">{actions}</div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const shownMost = 6;

function useMatters(): Matter[] {
  const { home: say } = useWords();
  const may = useMay();
  const fresh = useQuery({
    ...reading("devices", "list", { query: { state: "new", limit: shownMost } }),
    enabled: may(["devices", "list"]),
  }).data;
  const staged = useQuery({ ...reading("changes", "show"), enabled: may(["changes", "show"]) }).data?.staged ?? [];
  const tunnels = useQuery({ ...everyRow("tunnels", "list"), enabled: may(["tunnels", "list"]) }).data ?? [];
  const parts = useQuery({ ...reading("status", "observer"), refetchInterval: 10_000 }).data?.components ?? [];
  const lists = useQuery({ ...everyRow("dnsPresets", "list"), enabled: may(["dnsPresets", "list"]) }).data ?? [];
  const unknown =
    useQuery({ ...reading("devices", "unknown"), enabled: may(["devices", "unknown"]), refetchInterval: 10_000 })
      .data ?? [];
  const { found: leaks } = useLeaks();
  const egress = useQuery({ ...reading("tunnels", "egress"), enabled: may(["tunnels", "egress"]) }).data ?? [];
  const fallbacks = egress.filter(isUsed).filter(isFallback);
  const link = (to: string, action: string) => <LinkButton to={to}>{action}</LinkButton>;
  const dead = tunnels.filter(({ enabled, status }) => enabled && status === "failed");
  return [
    ...leaks.slice(0, shownMost).map(({ device_id, name }) => ({
      key: `leak ${device_id}`,
      says: <State state="leaking" text={say.leaks(name)} />,
      actions: (
        <>
          {link(`/devices/${device_id}`, say.look)}
          <BlockDevice id={device_id} />
        </>
      ),
    })),
    ...(leaks.length > shownMost
      ? [
          {
            key: "leaks",
            says: <State state="leaking" text={say.moreLeak(leaks.length - shownMost)} />,
            actions: link("/privacy?posture=leaking", say.look),
          },
        ]
      : []),
    ...fallbacks.slice(0, shownMost).map(({ policy_id, policy, hops }) => ({
      key: `fallback ${policy_id}`,
      says: <State state="direct" text={say.fallsBack(policy, downOf(hops, tunnels).join(", "))} />,
      actions: (
        <>
          <LinkButton to={`/routing?open=${policy_id}`} needs={["routing", "update"]}>
            {say.otherTunnel}
          </LinkButton>
          <BlockPolicy id={policy_id} />
        </>
      ),
    })),
    ...dead.map(({ id, name, reason }) => ({
      key: `tunnel ${id}`,
      says: say.tunnelDead(name, reason),
      actions: link(`/tunnels?open=${id}`, say.look),
    })),
    ...parts
      // Whether any device has internet access is part of the verdict.
      .filter(({ name, status }) => status === "failed" && name !== "egress")
      .map(({ name, message }) => ({
        key: `part ${name}`,
        says: say.partFailed(name, message),
        actions: link(name.startsWith("dns") ? "/dns" : "/network", say.look),
      })),
    ...(fresh?.items ?? []).map(({ id, name, mac }) => ({
      key: `device ${id}`,
      says: say.newDevice(name, mac),
      actions: link(`/devices/${id}`, say.whoIsThis),
    })),
    ...(unknown.length > 0
      ? [
          {
            key: "unknown",
            says: <State state="unknown" text={say.unknownDevices(unknown.length)} />,
            actions: link("/devices", say.whoIsThis),
          },
        ]
      : []),
    ...(staged.length > 0
      ? [{ key: "staged", says: say.staged(staged.length), actions: link("/changes", say.review) }]
      : []),
    ...lists
      .filter(({ enabled, problem }) => enabled && problem !== "")
      .slice(0, shownMost)
      .map(({ id, name, problem }) => ({
        key: `list ${id}`,
        says: say.listFailed(name, problem),
        actions: link("/dns?tab=lists", say.look),
      })),
  ];
}

/** The hops that are known to be down; all of them if none is. */
function downOf(hops: TunnelEgress["hops"], tunnels: readonly Pick<Tunnel, "id" | "name">[]): string[] {
  const down = hops.filter(({ status }) => status !== null && status !== "up" && status !== "degraded");
  const named = new Map(tunnels.map(({ id, name }) => [id, name]));
  return (down.length > 0 ? down : hops).map(({ tunnel_id, target }) => named.get(tunnel_id ?? "") ?? target);
}
