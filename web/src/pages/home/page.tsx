import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { DnsHour, TrafficNow } from "./charts.tsx";
import { StatusTiles } from "./status-tiles.tsx";
import { Attention } from "./attention.tsx";
import { Ribbons } from "./ribbons.tsx";
import { VerdictCard } from "./verdict-card.tsx";
import "./home.css";

/** In order of importance: verdict, items that need attention, exits, charts. */
export function HomePage() {
  const { shell, home } = useTranslation();
  const may = useMay();
  return (
    <Page title={shell.titles.home} subtitle={home.subtitle}>
      {may(["policyViews", "postures"]) && <VerdictCard />}
      <Attention />
      {may(["tunnels", "egress"]) && <Ribbons />}
      <StatusTiles />
      <div className="home-charts">
        {may(["dnsLog", "statistics"]) && <DnsHour />}
        {may(["interfaces", "list"]) && <TrafficNow />}
      </div>
    </Page>
  );
}
