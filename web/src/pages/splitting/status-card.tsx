import type { SplittingStatus } from "@portcullis/contract/subsystems/splitting";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ShareBar } from "./bar.tsx";

/** The policies that split now, with their tunnels and shares. */
export function StatusCard() {
  const t = useTranslation().splitting;
  const status = useQuery({ ...apiQuery("splitting", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.now} query={status}>
      {({ policies, members, covers }) => (
        <>
          <p>{policies.length > 0 ? t.spreading(policies.length) : t.notSpreading(members)}</p>
          <p className="quiet fine">{t.poolHas(members, covers)}</p>
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
  const t = useTranslation().splitting;
  const format = useFormat();
  return (
    <Table
      label={t.membersOf(name)}
      rows={members}
      rowKey={({ tunnel }) => tunnel}
      columns={[
        {
          key: "tunnel",
          title: t.tunnel,
          width: "1.5fr",
          cell: ({ tunnel, tunnel_id }) =>
            tunnel_id === null ? tunnel : <Link href={`/tunnels?open=${tunnel_id}`}>{tunnel}</Link>,
        },
        {
          key: "state",
          title: t.state,
          width: "1.2fr",
          cell: ({ healthy }) => <State state={healthy ? "protected" : "blocked"} text={healthy ? t.isUp : t.isDown} />,
        },
        {
          key: "share",
          title: t.share,
          width: "2fr",
          cell: ({ share, weight }) => <ShareBar share={share} note={t.weightOf(weight)} />,
        },
        {
          key: "connections",
          title: t.connections,
          right: true,
          cell: ({ connections }) => (connections === undefined ? t.notCounted : format.number(connections)),
        },
      ]}
    />
  );
}
