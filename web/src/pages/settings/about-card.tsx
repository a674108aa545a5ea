import { useQuery } from "@tanstack/react-query";
import { Facts } from "../../ui/facts.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { basePath } from "../../api/contract.ts";
import { reading } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

export function AboutCard() {
  const { settings: say } = useWords();
  const format = useFormat();
  const query = useQuery({ ...reading("status", "status"), refetchInterval: 60_000 });
  return (
    <LoadedCard title={say.gatewayItself} query={query}>
      {({ name, version, build, uptime_sec, node_id, revision, mode }) => (
        <>
          <Facts
            all={[
              [say.product, `${name} ${version}`],
              [say.build, build],
              [say.uptime, format.duration(uptime_sec)],
              [say.node, <code>{node_id}</code>],
              [say.revision, format.number(revision)],
              [say.mode, mode],
            ]}
          />
          <p>
            <a href={`${basePath}/docs`}>{say.docs}</a> <span className="quiet fine">{say.docsSays}</span>
          </p>
        </>
      )}
    </LoadedCard>
  );
}
