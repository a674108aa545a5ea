import type { Device } from "@portcullis/contract/subsystems/devices";
import { Link } from "wouter";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Card } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import type { Belongings } from "../../components/holding-class.ts";
import { useDeviceChange } from "../../components/device-change.ts";
import { useWords } from "../../i18n/i18n.tsx";
import type { Deed } from "./actions.ts";

interface Props {
  readonly devices: readonly Device[];
  readonly belongings: Belongings;
  readonly onDeed: (deed: Deed) => void;
}

const shownMost = 4;

/** New devices, newest first. One action is enough: identify, assign a class or group, or quarantine. */
export function Newcomers({ devices, belongings, onDeed }: Props) {
  const say = useWords().devices;
  return (
    <Card
      title={say.newcomers.title(devices.length)}
      actions={
        devices.length > shownMost && (
          <LinkButton kind="quiet" to="/devices?state=new">
            {say.newcomers.all}
          </LinkButton>
        )
      }
    >
      <ul className="devices-newcomers">
        {devices.slice(0, shownMost).map((device) => (
          <Newcomer key={device.id} device={device} belongings={belongings} onDeed={onDeed} />
        ))}
      </ul>
    </Card>
  );
}

function Newcomer({ device, belongings, onDeed }: Omit<Props, "devices"> & { readonly device: Device }) {
  const say = useWords().devices;
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
          {say.newcomers.since} <Ago at={device.first_seen} />
        </p>
      </div>
      <div className="row">
        <Button kind="main" needs={["devices", "update"]} onPress={() => onDeed({ kind: "who", device })}>
          {say.newcomers.who}
        </Button>
        <Menu
          label={say.newcomers.putInto(name)}
          icon="down"
          shown={say.newcomers.put}
          items={[
            belongings.trust.size > 0 && { title: say.form.trust },
            ...[...belongings.trust.values()].map((it) => ({
              label: say.menu.trust(it.name),
              needs: ["devices", "update"] as const,
              onPress: () => change(device, { trust_class: it.id, state: "known" }, say.done.inClass(name, it.name)),
            })),
            belongings.privacy.size > 0 && { title: say.form.privacy },
            ...[...belongings.privacy.values()].map((it) => ({
              label: say.menu.privacy(it.name),
              needs: ["devices", "update"] as const,
              onPress: () => change(device, { privacy_class: it.id, state: "known" }, say.done.inClass(name, it.name)),
            })),
            belongings.groups.size > 0 && { title: say.form.groups },
            ...[...belongings.groups.values()].map((it) => ({
              label: say.menu.group(it.name),
              needs: ["devices", "update"] as const,
              onPress: () =>
                change(
                  device,
                  { group_ids: [...new Set([...device.group_ids, it.id])], state: "known" },
                  say.done.inGroup(name, it.name),
                ),
            })),
          ]}
        />
        <Button
          needs={["devices", "update"]}
          onPress={() => change(device, { state: "quarantined" }, say.done.quarantined(name))}
        >
          {say.menu.quarantine}
        </Button>
      </div>
    </li>
  );
}
