import type { Device } from "@portcullis/contract/subsystems/devices";
import { SelectField, SwitchField } from "../../kit/form.tsx";
import { Card } from "../../kit/page.tsx";
import { State } from "../../kit/state.tsx";
import { useMay } from "../../line/session.tsx";
import { useBelongings } from "../../parts/device-belongings.ts";
import { type Belongings, holdingClass } from "../../parts/holding-class.ts";
import { useDeviceChange } from "../../parts/device-change.ts";
import { useWords } from "../../words/words.tsx";

const switches = ["require_tunnel", "force_dns", "block_doh", "block_webrtc", "block_ipv6"] as const;

/** What holds for the device and where that comes from; what can be changed here, changes here. */
export function ControlsCard({ device }: { readonly device: Device }) {
  const { device: words, devices, kit } = useWords();
  const say = words.controls;
  const may = useMay();
  const change = useDeviceChange();
  const belongings = useBelongings();
  const isShut = device.state === "quarantined";
  return (
    <Card title={say.title}>
      {may(["devices", "update"]) ? (
        <>
          <SwitchField
            label={say.quarantine}
            hint={say.quarantineHint}
            value={isShut}
            onChange={(on) =>
              change(
                device,
                { state: on ? "quarantined" : "known" },
                on ? devices.done.quarantined(device.name) : devices.done.released(device.name),
              )
            }
          />
          <Choosers device={device} belongings={belongings} />
        </>
      ) : (
        <p>
          {say.quarantine}: {isShut ? <State state="shut" text={kit.on} /> : kit.off}
        </p>
      )}
      <Settings device={device} belongings={belongings} />
    </Card>
  );
}

interface Props {
  readonly device: Device;
  readonly belongings: Belongings;
}

function Choosers({ device, belongings }: Props) {
  const { device: words, devices } = useWords();
  const change = useDeviceChange();
  const none = { value: "", label: devices.form.none };
  const optionsOf = (all: ReadonlyMap<string, { readonly id: string; readonly name: string }>) => [
    none,
    ...[...all.values()].map(({ id, name }) => ({ value: id, label: name })),
  ];
  const done = (name: string | undefined) =>
    name === undefined ? words.controls.noClass(device.name) : devices.done.inClass(device.name, name);
  return (
    <div className="grid small">
      <SelectField
        label={devices.form.trust}
        value={device.trust_class ?? ""}
        options={optionsOf(belongings.trust)}
        onChange={(id) => change(device, { trust_class: id || null }, done(belongings.trust.get(id)?.name))}
      />
      <SelectField
        label={devices.form.privacy}
        value={device.privacy_class ?? ""}
        options={optionsOf(belongings.privacy)}
        onChange={(id) => change(device, { privacy_class: id || null }, done(belongings.privacy.get(id)?.name))}
      />
    </div>
  );
}

function Settings({ device, belongings }: Props) {
  const { device: words, devices, kit } = useWords();
  const say = words.controls;
  const labels = devices.belongings.privacy;
  const holding = holdingClass(device, belongings);
  if (!holding) return <p className="quiet fine">{say.nothingDemanded}</p>;
  const { privacy, through } = holding;
  const source = through ? say.fromTrust(privacy.name, through.name) : say.fromClass(privacy.name);
  const switched = switches.map((field) => [labels.long[field], privacy[field] ? kit.on : kit.off] as const);
  const choices: readonly (readonly [string, string])[] = [
    [labels.fail, labels.fails[privacy.default_fail_policy]],
    [labels.dnsMode, labels.dnsModes[privacy.dns_mode]],
    [labels.log, labels.logs[privacy.log_level]],
  ];
  return (
    <div>
      <h3 className="device-source">{source}</h3>
      <dl className="device-settings">
        {[...switched, ...choices].map(([label, shown]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{shown}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
