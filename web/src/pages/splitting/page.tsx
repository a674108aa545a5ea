import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { everyRow } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { ActivateDialog } from "./activate-dialog.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { CoverCard, ResolverCard, TransportCard } from "./path-cards.tsx";
import { PoolCard } from "./pool-card.tsx";
import { StatusCard } from "./status-card.tsx";
import "./splitting.css";

export function SplittingPage() {
  const { frame, splitting: say } = useWords();
  const [doing, setDoing] = useAddress("do");
  const tunnels = useQuery(everyRow("tunnels", "list")).data;
  const names = useMemo(() => new Map(tunnels?.map(({ id, name }) => [id, name])), [tunnels]);
  return (
    <Page
      title={frame.titles.splitting}
      question={say.question}
      actions={
        <Button kind="main" needs={["splitting", "activate"]} onPress={() => setDoing("activate")}>
          {say.activate}
        </Button>
      }
    >
      <StatusCard />
      <PoolCard tunnels={names} onAdd={() => setDoing("add")} onEdit={(id) => setDoing(`edit:${id}`)} />
      <TransportCard />
      <ResolverCard />
      <CoverCard />
      <Asked doing={doing} tunnels={names} onClose={() => setDoing("")} />
    </Page>
  );
}

interface AskedProps {
  readonly doing: string;
  readonly tunnels: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

function Asked({ doing, tunnels, onClose }: AskedProps) {
  const may = useMay();
  const endpoints = useQuery(everyRow("splittingEndpoints", "list")).data;
  const options = useMemo(() => [...tunnels].map(([value, label]) => ({ value, label })), [tunnels]);
  if (!may(["splittingEndpoints", "update"])) return null;
  if (doing === "activate") return <ActivateDialog tunnels={tunnels} onClose={onClose} />;
  if (doing === "add") return <EndpointDialog tunnels={options} onClose={onClose} />;
  const [word, id] = doing.split(":");
  const endpoint = endpoints?.find((it) => it.id === id);
  if (word !== "edit" || !endpoint) return null;
  return <EndpointDialog endpoint={endpoint} tunnels={options} onClose={onClose} />;
}
