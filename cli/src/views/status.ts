import type { Client } from "@portcullis/contract/client";
import type { GatewayApi } from "@portcullis/contract/api";
import { Problem } from "@portcullis/contract/problem";
import type { Component, Status } from "@portcullis/contract/subsystems/status";
import { bad, good, joined, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { pairs } from "../screen/sheet.ts";
import { duration, type Reading } from "../screen/values.ts";
import { command, notInForce } from "../tasks/lookups.ts";

/** The state of the gateway in sentences: what is in force, what is exposed, what needs attention. */
export async function statusLines(status: Status, _: Reading, client: Client<GatewayApi>): Promise<Rich[]> {
  const obstacle = notInForce(status);
  const [postures, tunnels, alerts, changes, pauses, observer] = await Promise.all([
    readable(client.policyViews.postures()),
    readable(client.tunnels.list({ query: { limit: 1000 } })),
    readable(client.alerts.active()),
    readable(client.changes.show()),
    readable(client.pauses.active()),
    readable(client.status.observer()),
  ]);
  const { version, uptime_sec } = status;
  const components = known(observer)?.components ?? [];
  const pending = known(changes)?.pending;
  const staged = known(changes)?.staged ?? [];
  const advice: Rich[] = [
    ...(pending
      ? [rich("To keep the pending change, or revert it:"), command("changes", "confirm"), command("changes", "revert")]
      : []),
    ...(staged.length > 0 ? [rich("To see what is staged:"), command("changes")] : []),
    ...((known(alerts) ?? []).length > 0 ? [rich("To see the alerts:"), command("alerts", "active")] : []),
    ...((known(pauses) ?? []).length > 0 ? [rich("To end the pauses:"), command("resume")] : []),
  ];
  return [
    obstacle === undefined
      ? sentence`${good("Policies are in force.")} Portcullis ${version}, up ${duration(uptime_sec)}.`
      : sentence`${bad("Not in force:")} ${obstacle}.`,
    ...(obstacle === undefined ? [] : [sentence`Portcullis ${version}, up ${duration(uptime_sec)}.`]),
    ...pairs([
      ["Health", health(status, observer)],
      ["Devices", shownOr(postures, (it) => deviceWords(it, obstacle === undefined))],
      ["Tunnels", shownOr(tunnels, ({ items }) => tunnelWords(items))],
      ["Alerts", shownOr(alerts, alertWords)],
      ["Changes", shownOr(changes, changeWords)],
      ["Paused", shownOr(pauses, pauseWords)],
      ...(status.tls_pin === null ? [] : [["tls_pin", rich(status.tls_pin)] as const]),
    ]),
    ...components
      .filter(({ status: state }) => state === "degraded" || state === "failed")
      .map((it) => sentence`${coloured(it)} ${strong(it.name)}: ${it.message}`),
    ...(advice.length > 0 ? [[], ...advice] : []),
  ];
}

/** The problem for what the role may not read, and for what the gateway itself cannot read: the rest is shown. */
const readable = <T>(answer: Promise<T>): Promise<T | Problem> =>
  answer.catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });

const known = <T>(answer: T | Problem): T | undefined => (answer instanceof Problem ? undefined : answer);

const shownOr = <T>(answer: T | Problem, words: (it: T) => Rich): Rich =>
  answer instanceof Problem ? unread(answer) : words(answer);

const unread = ({ code, message }: Problem): Rich =>
  code === "forbidden" || code === "unauthorized"
    ? rich("not readable with this role")
    : sentence`${warn("not readable:")} ${message}`;

const coloured = ({ status }: Pick<Component, "status">): Rich =>
  status === "ok"
    ? good(status)
    : status === "degraded"
      ? warn(status)
      : status === "failed"
        ? bad(status)
        : rich(status);

const health = (
  { health: overall }: Status,
  observer: { readonly components: readonly Component[] } | Problem,
): Rich => {
  if (observer instanceof Problem) return sentence`${coloured({ status: overall })}; components ${unread(observer)}`;
  const { components } = observer;
  const off = components.filter(({ status }) => status === "off").length;
  return sentence`${coloured({ status: overall })}${off > 0 ? `; ${off} of ${components.length} components are off` : ""}`;
};

interface Postures {
  readonly protected: number;
  readonly blocked: number;
  readonly exposed: number;
  readonly unknown_device: string;
  readonly devices: readonly { readonly device_name: string; readonly posture: string }[];
}

/** Names of exposed devices: they are what the operator looks for. */
function deviceWords(it: Postures, isInForce: boolean): Rich {
  const exposed = it.devices.filter(({ posture }) => posture === "exposed").map(({ device_name }) => device_name);
  const names = exposed.length > 0 ? ` (${listed(exposed)})` : "";
  const counts = joined(
    [
      ...(it.protected > 0 ? [sentence`${it.protected} ${good("protected")}`] : []),
      ...(it.blocked > 0 ? [sentence`${it.blocked} ${bad("blocked")}`] : []),
      ...(it.exposed > 0 ? [sentence`${it.exposed} ${bad("exposed")}${names}`] : []),
    ],
    ", ",
  );
  const known = it.devices.length === 0 ? rich("none is known") : counts;
  return sentence`${known}; unknown ones: ${it.unknown_device}${isInForce ? "" : ", once policies are in force"}`;
}

function tunnelWords(
  tunnels: readonly { readonly name: string; readonly status: string; readonly enabled: boolean }[],
): Rich {
  const enabled = tunnels.filter((it) => it.enabled);
  const up = enabled.filter(({ status }) => status === "up" || status === "degraded");
  const others = enabled.filter((it) => !up.includes(it));
  if (tunnels.length === 0) return rich("none");
  return joined(
    [
      sentence`${up.length} of ${enabled.length} ${up.length > 0 || enabled.length === 0 ? good("up") : "up"}`,
      ...(others.length > 0 ? [sentence`${bad("not up")}: ${listed(others.map(({ name }) => name))}`] : []),
    ],
    "; ",
  );
}

function alertWords(alerts: readonly { readonly severity: string; readonly reason: string }[]): Rich {
  if (alerts.length === 0) return rich("none");
  const [first] = alerts.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const severity = first!.severity === "critical" ? bad(first!.severity) : warn(first!.severity);
  return sentence`${alerts.length} active; ${severity}: ${first!.reason}`;
}
const severities = ["critical", "warning", "info"];

const changeWords = ({
  pending,
  staged,
}: {
  readonly pending: { readonly actor: string; readonly remaining_sec: number } | null;
  readonly staged: readonly object[];
}): Rich =>
  joined(
    [
      ...(pending
        ? [
            sentence`${warn("one waits for confirmation")}, by ${pending.actor}; reverted in ${duration(pending.remaining_sec)}`,
          ]
        : []),
      ...(staged.length > 0 ? [sentence`${warn(`${staged.length} staged`)}, not in force`] : []),
      ...(pending === null && staged.length === 0 ? [rich("none is pending")] : []),
    ],
    "; ",
  );

function pauseWords(
  pauses: readonly {
    readonly type: string;
    readonly source_type: string;
    readonly source_name: string;
    readonly domain: string | null;
    readonly remaining_sec: number;
  }[],
): Rich {
  if (pauses.length === 0) return rich("nothing");
  return warn(
    pauses
      .map(
        (it) =>
          `${it.type}${it.domain === null ? "" : ` ${it.domain}`} for ${it.source_type === "everyone" ? "everyone" : it.source_name}, ${duration(it.remaining_sec)} left`,
      )
      .join("; "),
  );
}

const mostListed = 4;
const listed = (names: readonly string[]): string =>
  names.length > mostListed
    ? `${names.slice(0, mostListed).join(", ")} and ${names.length - mostListed} more`
    : names.join(", ");

/** The components: what is wrong first. */
export function observerLines(components: readonly Component[]): Rich[] {
  const order = ["failed", "degraded", "ok", "off"];
  const sorted = components.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const width = Math.max(...sorted.map(({ name }) => name.length), 0);
  return sorted.map((it) => {
    const state = sentence`${coloured(it)}${" ".repeat(9 - it.status.length)}`;
    return sentence`${state} ${strong(it.name)}${" ".repeat(width - it.name.length)}  ${it.message}`;
  });
}
