import type { SplittingStatus } from "@portcullis/contract/subsystems/splitting";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { reading } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { ShareBar } from "./bar.tsx";

/** The policies that split now, with their tunnels and shares. */
export function StatusCard() {
  const say = useWords().splitting;
  const status = useQuery({ ...reading("splitting", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.now} query={status}>
      {({ policies, members, covers }) => (
        <>
          <p>{policies.length > 0 ? say.spreading(policies.length) : say.notSpreading(members)}</p>
          <p className="quiet fine">{say.poolHas(members, covers)}</p>
          {policies.map((policy) => (
            <div key={policy.policy_id} className="stack tight">
              <h3>
                <Link href={`/routing?open=${policy.policy_id}`}>{policy.name}</Link>
              </h3>
              <Members {...policy} />
            </div>
          ))}
        </>
      )}
    </LoadedCard>
  );
}

function Members({ name, members }: SplittingStatus["policies"][number]) {
  const say = useWords().splitting;
  const format = useFormat();
  return (
    <Table
      label={say.membersOf(name)}
      rows={members}
      rowKey={({ tunnel }) => tunnel}
      columns={[
        {
          key: "tunnel",
          title: say.tunnel,
          width: "1.5fr",
          cell: ({ tunnel, tunnel_id }) =>
            tunnel_id === null ? tunnel : <Link href={`/tunnels?open=${tunnel_id}`}>{tunnel}</Link>,
        },
        {
          key: "state",
          title: say.state,
          width: "1.2fr",
          cell: ({ healthy }) => (
            <State state={healthy ? "protected" : "blocked"} text={healthy ? say.carries : say.carriesNot} />
          ),
        },
        {
          key: "share",
          title: say.share,
          width: "2fr",
          cell: ({ share, weight }) => <ShareBar share={share} note={say.weightOf(weight)} />,
        },
        {
          key: "connections",
          title: say.connections,
          right: true,
          cell: ({ connections }) => (connections === undefined ? say.notCounted : format.number(connections)),
        },
      ]}
    />
  );
}
