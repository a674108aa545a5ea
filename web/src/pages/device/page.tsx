import type { Device } from "@portcullis/contract/subsystems/devices";
import { Problem } from "@portcullis/contract/problem";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { useAddress, useGo } from "../../ui/address.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Empty, Loaded, Page } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { DeviceDialog } from "../../components/device-dialog.tsx";
import { DeviceRemoval } from "../../components/device-removal.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { AboutCard } from "./about-card.tsx";
import { ControlsCard } from "./controls-card.tsx";
import { ExceptionsCard } from "./exceptions-card.tsx";
import { LeaksCard } from "./leaks-card.tsx";
import { HistoryCard } from "./history-card.tsx";
import { MentionsCard } from "./mentions-card.tsx";
import { NamesCard } from "./names-card.tsx";
import { PathCard } from "./path-card.tsx";
import "./device.css";

export function DevicePage() {
  const { id = "" } = useParams();
  const { frame, device: say } = useWords();
  const device = useQuery(reading("devices", "get", { params: { id } }));
  const isGone = device.error instanceof Problem && device.error.code === "not_found";
  return (
    <Page
      title={device.data?.name ?? frame.titles.device}
      question={say.question}
      actions={device.data && !isGone && <Actions device={device.data} />}
    >
      {isGone ? (
        <Empty says={say.gone}>
          <LinkButton to="/devices">{say.toDevices}</LinkButton>
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
  return (
    <>
      <PathCard device={device} />
      <div className="device-columns">
        <div className="stack">
          <NamesCard device={device} />
          <LeaksCard device={device} />
          <MentionsCard device={device} />
          <HistoryCard id={device.id} />
        </div>
        <div className="stack">
          <ExceptionsCard device={device} />
          <ControlsCard device={device} />
          <AboutCard device={device} />
        </div>
      </div>
    </>
  );
}

function Actions({ device }: { readonly device: Device }) {
  const { device: say, devices, kit } = useWords();
  const [deed, setDeed] = useAddress("do");
  const [go, may] = [useGo(), useMay()];
  const close = () => setDeed("");
  const isNew = device.state === "new";
  return (
    <>
      <LinkButton kind="quiet" to="/devices">
        {say.toDevices}
      </LinkButton>
      {isNew && (
        <Button kind="main" needs={["devices", "update"]} onPress={() => setDeed("who")}>
          {devices.newcomers.who}
        </Button>
      )}
      <Button icon="edit" needs={["devices", "update"]} onPress={() => setDeed("edit")}>
        {kit.edit}
      </Button>
      <Menu
        label={kit.actionsFor(device.name)}
        items={[
          {
            label: devices.menu.remove,
            icon: "remove",
            danger: true,
            needs: ["devices", "remove"],
            onPress: () => setDeed("remove"),
          },
        ]}
      />
      {(deed === "edit" || deed === "who") && may(["devices", "update"]) && (
        <DeviceDialog device={device} brief={deed === "who"} onClose={close} />
      )}
      {deed === "remove" && may(["devices", "remove"]) && (
        <DeviceRemoval device={device} onClose={close} onGone={() => go("/devices")} />
      )}
    </>
  );
}
