import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { allRows } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { ActivateDialog } from "./activate-dialog.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { CoverCard, ResolverCard, TransportCard } from "./path-cards.tsx";
import { PoolCard } from "./pool-card.tsx";
import { StatusCard } from "./status-card.tsx";
import "./splitting.css";

export function SplittingPage() {
  const { shell, splitting: t } = useTranslation();
  const [doing, setDoing] = useSearchParam("do");
  const tunnels = useQuery(allRows("tunnels", "list")).data;
  const names = useMemo(() => new Map(tunnels?.map(({ id, name }) => [id, name])), [tunnels]);
  return (
    <Page
      title={shell.titles.splitting}
      subtitle={t.subtitle}
      actions={
        <Button kind="main" needs={["splitting", "activate"]} onPress={() => setDoing("activate")}>
          {t.activate}
        </Button>
      }
    >
      <StatusCard />
      <PoolCard tunnels={names} onAdd={() => setDoing("add")} onEdit={(id) => setDoing(`edit:${id}`)} />
      <TransportCard />
      <ResolverCard />
      <CoverCard />
      <ActiveDialog doing={doing} tunnels={names} onClose={() => setDoing("")} />
    </Page>
  );
}

interface ActiveDialogProps {
  readonly doing: string;
  readonly tunnels: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

function ActiveDialog({ doing, tunnels, onClose }: ActiveDialogProps) {
  const may = useMay();
  const endpoints = useQuery(allRows("splittingEndpoints", "list")).data;
  if (!may(["splittingEndpoints", "update"])) return null;
  if (doing === "activate") return <ActivateDialog tunnels={tunnels} onClose={onClose} />;
  if (doing === "add") return <EndpointDialog onClose={onClose} />;
  const [word, id] = doing.split(":");
  const endpoint = endpoints?.find((it) => it.id === id);
  if (word !== "edit" || !endpoint) return null;
  return <EndpointDialog endpoint={endpoint} onClose={onClose} />;
}
