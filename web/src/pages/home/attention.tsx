import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/page.tsx";
import { State } from "../../kit/state.tsx";
import { everyRow, reading } from "../../line/reading.ts";
import { useMay } from "../../line/session.tsx";
import { useLeaks } from "./leaks.ts";
import { useWords } from "../../words/words.tsx";

interface Matter {
  readonly key: string;
  readonly says: ReactNode;
  readonly action: string;
  readonly to: string;
}

/** What needs a person, each with its one action. Nothing to do: nothing shown. */
export function Attention() {
  const { home: say } = useWords();
  const matters = useMatters();
  if (matters.length === 0) return null;
  return (
    <Card title={say.attention(matters.length)}>
      <ul className="stack tight">
        {matters.map(({ key, says, action, to }) => (
          <li key={key} className="row spread">
            <span className="grow wrap">{says}</span>
            <LinkButton to={to}>{action}</LinkButton>
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
  const { found: leaks } = useLeaks();
  const dead = tunnels.filter(({ enabled, status }) => enabled && status === "failed");
  return [
    ...leaks.slice(0, shownMost).map(({ device_id, name }) => ({
      key: `leak ${device_id}`,
      says: <State state="leaking" text={say.leaks(name)} />,
      action: say.look,
      to: `/devices/${device_id}`,
    })),
    ...(leaks.length > shownMost
      ? [
          {
            key: "leaks",
            says: <State state="leaking" text={say.moreLeak(leaks.length - shownMost)} />,
            action: say.look,
            to: "/privacy?posture=leaking",
          },
        ]
      : []),
    ...dead.map(({ id, name, reason }) => ({
      key: `tunnel ${id}`,
      says: say.tunnelDead(name, reason),
      action: say.look,
      to: `/tunnels?open=${id}`,
    })),
    ...parts
      .filter(({ status }) => status === "failed")
      .map(({ name, message }) => ({
        key: `part ${name}`,
        says: say.partFailed(name, message),
        action: say.look,
        to: name.startsWith("dns") ? "/dns" : "/network",
      })),
    ...(fresh?.items ?? []).map(({ id, name, mac }) => ({
      key: `device ${id}`,
      says: say.newDevice(name, mac),
      action: say.whoIsThis,
      to: `/devices/${id}`,
    })),
    ...(staged.length > 0
      ? [{ key: "staged", says: say.staged(staged.length), action: say.review, to: "/changes" }]
      : []),
    ...lists
      .filter(({ enabled, problem }) => enabled && problem !== "")
      .slice(0, shownMost)
      .map(({ id, name, problem }) => ({
        key: `list ${id}`,
        says: say.listFailed(name, problem),
        action: say.look,
        to: "/dns?tab=lists",
      })),
  ];
}
