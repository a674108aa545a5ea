import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { DnsHour, TrafficNow } from "./charts.tsx";
import { Glance } from "./glance.tsx";
import { Attention } from "./attention.tsx";
import { Ribbons } from "./ribbons.tsx";
import { VerdictCard } from "./verdict-card.tsx";
import "./home.css";

/** In order of importance: verdict, items that need attention, exits, charts. */
export function HomePage() {
  const { frame, home } = useWords();
  const may = useMay();
  return (
    <Page title={frame.titles.home} question={home.question}>
      {may(["policyViews", "postures"]) && <VerdictCard />}
      <Attention />
      {may(["tunnels", "egress"]) && <Ribbons />}
      <Glance />
      <div className="home-charts">
        {may(["dnsLog", "statistics"]) && <DnsHour />}
        {may(["interfaces", "list"]) && <TrafficNow />}
      </div>
    </Page>
  );
}
