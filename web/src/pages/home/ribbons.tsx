import type { Hop } from "@portcullis/contract/subsystems/routing";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../../ui/button.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { isUsed, reasonFor } from "../../components/outcomes.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import type { PrivacyOfDevice } from "../../components/privacy/verdicts.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { byWay } from "./ways.ts";

const shownMost = 8;

/** Leaks first; then one ribbon for each exit; then the policies that are not used. */
export function Ribbons() {
  const { home: say } = useWords();
  const egress = useQuery({ ...reading("tunnels", "egress"), refetchInterval: 5000 });
  const leaks = useLeaks().found;
  return (
    <LoadedCard
      title={say.ways}
      query={egress}
      actions={
        <LinkButton kind="quiet" to="/routing">
          {say.allPolicies}
        </LinkButton>
      }
    >
      {(rows) => {
        const ways = byWay(rows.filter(isUsed));
        if (rows.length === 0 && leaks.length === 0)
          return (
            <Empty says={say.noWays}>
              <LinkButton to="/tunnels?do=import" needs={["tunnels", "importWireguard"]}>
                {say.importTunnel}
              </LinkButton>
            </Empty>
          );
        return (
          <ul className="stack">
            {leaks.slice(0, shownMost).map((device) => (
              <li key={device.device_id}>
                <LeakRibbon device={device} rows={rows} />
              </li>
            ))}
            {ways.slice(0, shownMost).map((way) => (
              <li key={way.key}>
                <WayRibbon rows={way.rows} />
              </li>
            ))}
            {ways.length > shownMost && <li className="quiet">{say.moreWays(ways.length - shownMost)}</li>}
            <NotUsed rows={rows} />
          </ul>
        );
      }}
    </LoadedCard>
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

function WayRibbon({ rows }: { readonly rows: readonly TunnelEgress[] }) {
  const { home: say } = useWords();
  const ribbonHops = useRibbonHops();
  const [first] = rows;
  const from = say.from(rows.map(({ policy }) => policy));
  return (
    <Ribbon
      from={from}
      fromName={from}
      hops={ribbonHops(first!.hops as readonly Hop[])}
      state={stateOf(first!.outcome, first!.hops)}
      now={reasonFor(first!)}
    />
  );
}

const notUsedMost = 3;

function NotUsed({ rows }: { readonly rows: readonly TunnelEgress[] }) {
  const { home: say } = useWords();
  const unused = rows.filter((it) => !isUsed(it));
  const names = new Map(rows.map(({ policy_id, policy }) => [policy_id, policy]));
  return (
    <>
      {unused.slice(0, notUsedMost).map(({ policy_id, policy, shadowed_by }) => (
        <li key={policy_id} className="quiet fine">
          {say.notUsed(policy, names.get(shadowed_by!) ?? "")}
        </li>
      ))}
      {unused.length > notUsedMost && <li className="quiet fine">{say.moreNotUsed(unused.length - notUsedMost)}</li>}
    </>
  );
}
