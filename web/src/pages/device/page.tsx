import type { Device } from "@portcullis/contract/subsystems/devices";
import { Problem } from "@portcullis/contract/problem";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { useSearchParam, useGo } from "../../ui/search-param.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Empty, Loaded, Page } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { DeviceDialog } from "../../components/device-dialog.tsx";
import { DeviceRemoval } from "../../components/device-removal.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { AboutCard } from "./about-card.tsx";
import { ControlsCard } from "./controls-card.tsx";
import { PausesCard } from "../../components/pauses/pauses-card.tsx";
import { ExceptionsCard } from "./exceptions-card.tsx";
import { LeaksCard } from "./leaks-card.tsx";
import { HistoryCard } from "./history-card.tsx";
import { MentionsCard } from "./mentions-card.tsx";
import { DomainsCard } from "./domains-card.tsx";
import { PathCard } from "./path-card.tsx";
import { TrafficCard } from "./traffic-card.tsx";
import "./device.css";

export function DevicePage() {
  const { id = "" } = useParams();
  const { shell, device: t } = useTranslation();
  const device = useQuery(apiQuery("devices", "get", { params: { id } }));
  const isGone = device.error instanceof Problem && device.error.code === "not_found";
  return (
    <Page
      title={device.data?.name ?? shell.titles.device}
      subtitle={t.subtitle}
      actions={device.data && !isGone && <Actions device={device.data} />}
    >
      {isGone ? (
        <Empty text={t.gone}>
          <LinkButton to="/devices">{t.toDevices}</LinkButton>
        </Empty>
      ) : (
        <Loaded query={device} lines={6}>
          {(found) => <Cards device={found} />}
        </Loaded>
      )}
    </Page>
  );
}

function Cards({ device }: { readonly device: Device }) {
  const may = useMay();
  return (
    <>
      <PathCard device={device} />
      <div className="device-columns">
        <div className="stack">
          {may(["traffic", "history"]) && <TrafficCard device={device} />}
          <DomainsCard device={device} />
          <LeaksCard device={device} />
          <MentionsCard device={device} />
          <HistoryCard id={device.id} />
        </div>
        <div className="stack">
          <ExceptionsCard device={device} />
          <PausesCard
            target={{ source_type: "device", source_value: device.id, name: device.name }}
            shows={({ source_type, source_value }) =>
              source_type === "everyone" || [device.id, ...device.group_ids].includes(source_value)
            }
          />
          <ControlsCard device={device} />
          <AboutCard device={device} />
        </div>
      </div>
    </>
  );
}

function Actions({ device }: { readonly device: Device }) {
  const { device: t, devices, ui } = useTranslation();
  const [action, setAction] = useSearchParam("do");
  const [go, may] = [useGo(), useMay()];
  const close = () => setAction("");
  const isNew = device.state === "new";
  return (
    <>
      <LinkButton kind="quiet" to="/devices">
        {t.toDevices}
      </LinkButton>
      {isNew && (
        <Button kind="main" needs={["devices", "update"]} onPress={() => setAction("who")}>
          {devices.newDevices.who}
        </Button>
      )}
      <Button icon="edit" needs={["devices", "update"]} onPress={() => setAction("edit")}>
        {ui.edit}
      </Button>
      <Menu
        label={ui.actionsFor(device.name)}
        items={[
          {
            label: devices.menu.remove,
            icon: "remove",
            danger: true,
            needs: ["devices", "remove"],
            onPress: () => setAction("remove"),
          },
        ]}
      />
      {(action === "edit" || action === "who") && may(["devices", "update"]) && (
        <DeviceDialog device={device} brief={action === "who"} onClose={close} />
      )}
      {action === "remove" && may(["devices", "remove"]) && (
        <DeviceRemoval device={device} onClose={close} onGone={() => go("/devices")} />
      )}
    </>
  );
}
