import { type Control, controls } from "@portcullis/contract/privacy-controls";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { SelectField, SwitchField } from "../../ui/form.tsx";
import { Card, Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { type Belongings, effectiveClass } from "../../components/effective-class.ts";
import { useDeviceChange } from "../../components/device-change.ts";
import { useControlSwitch } from "../../components/privacy/control-switch.ts";
import type { PrivacyOfDevice } from "../../components/privacy/verdicts.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** The settings of the device with their origin. */
export function ControlsCard({ device }: { readonly device: Device }) {
  const { device: messages, devices, ui } = useTranslation();
  const t = messages.controls;
  const may = useMay();
  const change = useDeviceChange();
  const belongings = useBelongings();
  const status = useQuery(apiQuery("privacy", "status", { query: { device_id: device.id } }));
  const isBlocked = device.state === "quarantined";
  return (
    <Card title={t.title}>
      {may(["devices", "update"]) ? (
        <>
          <SwitchField
            label={t.quarantine}
            hint={t.quarantineHint}
            value={isBlocked}
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
          {t.quarantine}: {isBlocked ? <State state="blocked" text={ui.on} /> : ui.off}
        </p>
      )}
      <Loaded query={status}>
        {({ devices: [own] }) => own && <Controls device={device} held={own} belongings={belongings} />}
      </Loaded>
      <Demands device={device} belongings={belongings} />
    </Card>
  );
}

interface Props {
  readonly device: Device;
  readonly belongings: Belongings;
}

function Choosers({ device, belongings }: Props) {
  const { device: messages, devices } = useTranslation();
  const change = useDeviceChange();
  const none = { value: "", label: devices.form.none };
  const optionsOf = (all: ReadonlyMap<string, { readonly id: string; readonly name: string }>) => [
    none,
    ...[...all.values()].map(({ id, name }) => ({ value: id, label: name })),
  ];
  const done = (name: string | undefined) =>
    name === undefined ? messages.controls.noClass(device.name) : devices.done.inClass(device.name, name);
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

/** Each control with its effective value and origin. A change gives the device its own setting, which can be reset. */
function Controls({ device, held, belongings }: Props & { readonly held: PrivacyOfDevice }) {
  const { device: messages, privacy, devices, ui } = useTranslation();
  const labels = devices.belongings.privacy.long;
  const may = useMay();
  const setControl = useControlSwitch();
  const className = belongings.privacy.get(held.privacy_class ?? "")?.name;
  const source = (control: Control): string => {
    const { from } = held.controls[control];
    return from === "class" ? privacy.own.sources.class(className ?? "") : privacy.own.sources[from];
  };
  const ownValueOf = (control: Control): boolean | null =>
    held.controls[control].from === "device" ? held.controls[control].on : null;
  return (
    <div>
      <h3 className="device-source">{messages.controls.switches}</h3>
      <ul className="device-controls">
        {controls.map((control) => (
          <li key={control}>
            {may(["privacy", "forceDns"]) ? (
              <SwitchField
                label={labels[control]}
                hint={source(control)}
                value={held.controls[control].on}
                onChange={(enabled) => setControl({ control, enabled, before: ownValueOf(control), device })}
              />
            ) : (
              <p className="grow">
                {labels[control]}: <span className="strong">{held.controls[control].on ? ui.on : ui.off}</span>
                <br />
                <span className="quiet fine">{source(control)}</span>
              </p>
            )}
            {ownValueOf(control) !== null && (
              <Button
                kind="quiet"
                label={privacy.own.resetFor(labels[control])}
                needs={["privacy", "forceDns"]}
                onPress={() => setControl({ control, enabled: null, before: ownValueOf(control), device })}
              >
                {className === undefined ? privacy.own.resetSystem : privacy.own.reset}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Further settings of its class, which a device cannot override. */
function Demands({ device, belongings }: Props) {
  const { device: messages, devices, ui } = useTranslation();
  const t = messages.controls;
  const labels = devices.belongings.privacy;
  const effective = effectiveClass(device, belongings);
  if (!effective) return <p className="quiet fine">{t.nothingDemanded}</p>;
  const { privacy, through } = effective;
  return (
    <div>
      <h3 className="device-source">{through ? t.fromTrust(privacy.name, through.name) : t.fromClass(privacy.name)}</h3>
      <Facts
        all={[
          [labels.long.require_tunnel, privacy.require_tunnel ? ui.on : ui.off],
          [labels.dnsMode, labels.dnsModes[privacy.dns_mode]],
          [labels.log, labels.logs[privacy.log_level]],
        ]}
      />
    </div>
  );
}
