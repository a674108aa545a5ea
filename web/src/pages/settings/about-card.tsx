import { useQuery } from "@tanstack/react-query";
import { Facts } from "../../ui/facts.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { basePath } from "../../api/contract.ts";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

export function AboutCard() {
  const { settings: t } = useTranslation();
  const format = useFormat();
  const query = useQuery({ ...apiQuery("status", "status"), refetchInterval: 60_000 });
  return (
    <LoadedCard title={t.gatewayItself} query={query}>
      {({ name, version, build, uptime_sec, node_id, revision, mode }) => (
        <>
          <Facts
            all={[
              [t.product, `${name} ${version}`],
              [t.build, build],
              [t.uptime, format.duration(uptime_sec)],
              [t.node, <code>{node_id}</code>],
              [t.revision, format.number(revision)],
              [t.mode, mode],
            ]}
          />
          <p>
            <a href={`${basePath}/docs`}>{t.docs}</a> <span className="quiet fine">{t.docsText}</span>
          </p>
        </>
      )}
    </LoadedCard>
  );
}
