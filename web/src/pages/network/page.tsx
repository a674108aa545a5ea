import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { DhcpCard } from "./dhcp-card.tsx";
import { DriftCard } from "./drift-card.tsx";
import { InterfacesCard } from "./interfaces-card.tsx";
import { KernelCard, ComponentsCard } from "./component-cards.tsx";
import { MachineCard } from "./machine-card.tsx";
import { PortalCard } from "./portal-card.tsx";
import { RouterAdvertisementsCard } from "./router-advertisements-card.tsx";
import { SegmentsCard } from "./segments-card.tsx";
import { SwitchesCard } from "./switches-card.tsx";
import { VlansCard } from "./vlans-card.tsx";
import { UplinksCard } from "./uplinks-card.tsx";
import "./network.css";

/** Uplinks, interfaces, and the components that manage them. */
export function NetworkPage() {
  const { shell, network } = useTranslation();
  const may = useMay();
  return (
    <Page title={shell.titles.network} subtitle={network.subtitle}>
      <UplinksCard />
      {may(["interfaces", "list"]) && <InterfacesCard />}
      {may(["segments", "list"]) && <SegmentsCard />}
      {may(["vlans", "list"]) && <VlansCard />}
      {may(["dhcp", "get"]) && <DhcpCard />}
      {may(["routerAdvertisements", "get"]) && <RouterAdvertisementsCard />}
      <div className="network-halves">
        <div className="stack">
          <ComponentsCard />
          <SwitchesCard />
          {may(["captive", "check"]) && <PortalCard />}
        </div>
        <div className="stack">
          {may(["enforcement", "reconciler"]) && <KernelCard />}
          <MachineCard />
        </div>
      </div>
      {may(["enforcement", "drift"]) && <DriftCard />}
    </Page>
  );
}
