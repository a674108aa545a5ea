import type { Device } from "@portcullis/contract/subsystems/devices";
import { Link } from "wouter";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Card } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import type { Belongings } from "../../components/effective-class.ts";
import { useDeviceChange } from "../../components/device-change.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import type { DeviceAction } from "./actions.ts";

interface Props {
  readonly devices: readonly Device[];
  readonly belongings: Belongings;
  readonly onAction: (action: DeviceAction) => void;
}

const maxShown = 4;

/** New devices, newest first. One action is enough: identify, assign a class or group, or quarantine. */
export function NewDevices({ devices, belongings, onAction }: Props) {
  const t = useTranslation().devices;
  return (
    <Card
      title={t.newDevices.title(devices.length)}
      actions={
        devices.length > maxShown && (
          <LinkButton kind="quiet" to="/devices?state=new">
            {t.newDevices.all}
          </LinkButton>
        )
      }
    >
      <ul className="devices-new">
        {devices.slice(0, maxShown).map((device) => (
          <NewDevice key={device.id} device={device} belongings={belongings} onAction={onAction} />
        ))}
      </ul>
    </Card>
  );
}

function NewDevice({ device, belongings, onAction }: Omit<Props, "devices"> & { readonly device: Device }) {
  const t = useTranslation().devices;
  const change = useDeviceChange();
  const { name, vendor, hostname, mac, ips } = device;
  return (
    <li>
      <div className="grow">
        <Link href={`/devices/${device.id}`} className="strong wrap">
          {name}
        </Link>
        <p className="quiet fine wrap">
          {[vendor, hostname, mac, ...ips.slice(0, 2)].filter(Boolean).join(" · ")}
          {" · "}
          {t.newDevices.since} <Ago at={device.first_seen} />
        </p>
      </div>
      <div className="row">
        <Button kind="main" needs={["devices", "update"]} onPress={() => onAction({ kind: "who", device })}>
          {t.newDevices.who}
        </Button>
        <Menu
          label={t.newDevices.putInto(name)}
          icon="down"
          shown={t.newDevices.put}
          items={[
            belongings.trust.size > 0 && { title: t.form.trust },
            ...[...belongings.trust.values()].map((it) => ({
              label: t.menu.trust(it.name),
              needs: ["devices", "update"] as const,
              onPress: () => change(device, { trust_class: it.id, state: "known" }, t.done.inClass(name, it.name)),
            })),
            belongings.privacy.size > 0 && { title: t.form.privacy },
            ...[...belongings.privacy.values()].map((it) => ({
              label: t.menu.privacy(it.name),
              needs: ["devices", "update"] as const,
              onPress: () => change(device, { privacy_class: it.id, state: "known" }, t.done.inClass(name, it.name)),
            })),
            belongings.groups.size > 0 && { title: t.form.groups },
            ...[...belongings.groups.values()].map((it) => ({
              label: t.menu.group(it.name),
              needs: ["devices", "update"] as const,
              onPress: () =>
                change(
                  device,
                  { group_ids: [...new Set([...device.group_ids, it.id])], state: "known" },
                  t.done.inGroup(name, it.name),
                ),
            })),
          ]}
        />
        <Button
          needs={["devices", "update"]}
          onPress={() => change(device, { state: "quarantined" }, t.done.quarantined(name))}
        >
          {t.menu.quarantine}
        </Button>
      </div>
    </li>
  );
}
