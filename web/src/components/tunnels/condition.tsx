import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { Link } from "wouter";
import { State } from "../../ui/state.tsx";
import { useNow } from "../../ui/time.tsx";
import { stateOf } from "../paths.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { conditionOf, stateOfTunnel } from "./condition.ts";

/** The condition, and for how long. */
export function TunnelCondition({ tunnel }: { readonly tunnel: Tunnel }) {
  const { paths } = useTranslation();
  return (
    <div className="row">
      <TunnelState tunnel={tunnel} />
      {tunnel.since && <Since at={tunnel.since} />}
      <span className="tag">{paths.tunnelKinds[tunnel.type]}</span>
    </div>
  );
}

function Since({ at }: { readonly at: string }) {
  const t = useTranslation().tunnels;
  const [now, format] = [useNow(), useFormat()];
  const date = new Date(at);
  return (
    <time className="quiet fine" dateTime={at} title={format.exact(date)}>
      {t.lasting(format.duration(Math.max(0, (now.getTime() - date.getTime()) / 1000)))}
    </time>
  );
}

export function TunnelState({ tunnel }: { readonly tunnel: Pick<Tunnel, "status" | "enabled"> }) {
  const t = useTranslation().tunnels;
  return <State state={stateOfTunnel(tunnel)} text={t.conditions[conditionOf(tunnel)]} />;
}

/** The policies that use the tunnel, with their current state. */
export function UsedBy({ policies, max }: { readonly policies: readonly TunnelEgress[]; readonly max: number }) {
  const t = useTranslation().tunnels;
  if (policies.length === 0) return <p className="quiet fine">{t.unused}</p>;
  return (
    <ul className="stack tight fine">
      {policies.slice(0, max).map(({ policy_id, policy, outcome, hops, shadowed_by }) => (
        <li key={policy_id} className="row spread">
          <Link href={`/routing?open=${policy_id}`} className="wrap grow">
            {policy}
          </Link>
          {shadowed_by === null ? <State state={stateOf(outcome, hops)} /> : <State state="unknown" text={t.notUsed} />}
        </li>
      ))}
      {policies.length > max && <li className="quiet">{t.moreUses(policies.length - max)}</li>}
    </ul>
  );
}
