import type { Hop } from "@portcullis/contract/subsystems/routing";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../../kit/button.tsx";
import { Empty, LoadedCard } from "../../kit/page.tsx";
import { reading } from "../../line/reading.ts";
import { stateOf, useRibbonHops } from "../../parts/paths.ts";
import { Ribbon } from "../../parts/ribbon.tsx";
import { useWords } from "../../words/words.tsx";
import { byWay } from "./ways.ts";

const shownMost = 8;

/** One ribbon for each way out, whoever takes it. */
export function Ribbons() {
  const { home: say } = useWords();
  const egress = useQuery({ ...reading("tunnels", "egress"), refetchInterval: 5000 });
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
        const ways = byWay(rows);
        if (ways.length === 0)
          return (
            <Empty says={say.noWays}>
              <LinkButton to="/tunnels?do=import" needs={["tunnels", "importWireguard"]}>
                {say.importTunnel}
              </LinkButton>
            </Empty>
          );
        return (
          <ul className="stack">
            {ways.slice(0, shownMost).map((way) => (
              <li key={way.key}>
                <WayRibbon rows={way.rows} />
              </li>
            ))}
            {ways.length > shownMost && <li className="quiet">{say.moreWays(ways.length - shownMost)}</li>}
          </ul>
        );
      }}
    </LoadedCard>
  );
}

function WayRibbon({ rows }: { readonly rows: readonly TunnelEgress[] }) {
  const { home: say } = useWords();
  const ribbonHops = useRibbonHops();
  const [first] = rows;
  const from = say.from(rows.map(({ policy }) => policy));
  const state = stateOf(first!.outcome, first!.hops);
  return (
    <Ribbon
      from={from}
      fromName={from}
      hops={ribbonHops(first!.hops as readonly Hop[])}
      state={state}
      {...(state !== "protected" && { now: first!.reason })}
    />
  );
}
