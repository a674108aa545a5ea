import type { Hop } from "@portcullis/contract/subsystems/routing";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { LinkButton } from "../../ui/button.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { useFallbackInterval } from "../../api/live.tsx";
import { apiQuery } from "../../api/queries.ts";
import { isUsed, reasonFor } from "../../components/outcomes.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import type { PrivacyOfDevice } from "../../components/privacy/verdicts.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { groupByExit } from "./exits.ts";

const maxShown = 8;

/** Leaks first; then one ribbon for each exit; then the policies that are not used. */
export function Ribbons() {
  const { home: t } = useTranslation();
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), refetchInterval: useFallbackInterval(5000) });
  const leaks = useLeaks().found;
  return (
    <Loaded query={egress} lines={8}>
      {(rows) => {
        const exits = groupByExit(rows.filter(isUsed));
        if (rows.length === 0 && leaks.length === 0)
          return (
            <Empty text={t.noExits}>
              <LinkButton to="/tunnels?do=import" needs={["tunnels", "importWireguard"]}>
                {t.importTunnel}
              </LinkButton>
            </Empty>
          );
        return (
          <ul className="stack">
            {leaks.slice(0, maxShown).map((device) => (
              <li key={device.device_id}>
                <LeakRibbon device={device} rows={rows} />
              </li>
            ))}
            {exits.slice(0, maxShown).map((exit) => (
              <li key={exit.key}>
                <ExitRibbon rows={exit.rows} />
              </li>
            ))}
            {exits.length > maxShown && <li className="quiet">{t.moreExits(exits.length - maxShown)}</li>}
            <NotUsed rows={rows} />
            <li>
              <Link href="/routing">{t.allPolicies}</Link>
            </li>
          </ul>
        );
      }}
    </Loaded>
  );
}

interface LeakProps {
  readonly device: PrivacyOfDevice;
  readonly rows: readonly TunnelEgress[];
}

/** A leak bypasses the hops of the policy that decides for the device. */
function LeakRibbon({ device: { name, policy_id }, rows }: LeakProps) {
  const ribbonHops = useRibbonHops();
  const hops = rows.find((it) => it.policy_id === policy_id)?.hops ?? [];
  return <Ribbon from={name} fromName={name} hops={ribbonHops(hops as readonly Hop[])} state="leaking" />;
}

function ExitRibbon({ rows }: { readonly rows: readonly TunnelEgress[] }) {
  const { home: t } = useTranslation();
  const ribbonHops = useRibbonHops();
  const why = useReason();
  const [first] = rows;
  const from = t.from(rows.map(({ policy }) => policy));
  return (
    <Ribbon
      from={from}
      fromName={from}
      hops={ribbonHops(first!.hops as readonly Hop[])}
      state={stateOf(first!.outcome, first!.hops)}
      now={reasonFor(first!, why)}
    />
  );
}

const maxNotUsed = 3;

function NotUsed({ rows }: { readonly rows: readonly TunnelEgress[] }) {
  const { home: t } = useTranslation();
  const unused = rows.filter((it) => !isUsed(it));
  const names = new Map(rows.map(({ policy_id, policy }) => [policy_id, policy]));
  return (
    <>
      {unused.slice(0, maxNotUsed).map(({ policy_id, policy, shadowed_by }) => (
        <li key={policy_id} className="quiet fine">
          {t.notUsed(policy, names.get(shadowed_by!) ?? "")}
        </li>
      ))}
      {unused.length > maxNotUsed && <li className="quiet fine">{t.moreNotUsed(unused.length - maxNotUsed)}</li>}
    </>
  );
}
