import type { SetupState } from "@portcullis/contract/subsystems/setup";
import { useId } from "react";
import { State } from "../../ui/state.tsx";
import { countedAs, useFlows } from "../../components/flows.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { type PortRole, type Roles, roleOf } from "./port-roles.ts";

type Port = SetupState["interfaces"][number];
interface Props {
  readonly interfaces: readonly Port[];
  readonly roles: Roles;
  readonly onChange: (name: string, role: PortRole) => void;
}

/** The interfaces of the machine with link, addresses and traffic, each with its role. */
export function Ports({ interfaces, roles, onChange }: Props) {
  const { setup: t } = useTranslation();
  return (
    <ul className="stack tight" aria-label={t.ports}>
      {interfaces.map((port) => (
        <li key={port.name} className="card">
          <PortRow port={port} role={roleOf(roles, port.name)} onChange={(role) => onChange(port.name, role)} />
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  readonly port: Port;
  readonly role: PortRole;
  readonly onChange: (role: PortRole) => void;
}

function PortRow({ port, role, onChange }: RowProps) {
  const { setup: t } = useTranslation();
  const id = useId();
  return (
    <fieldset className="start-port" aria-describedby={`${id}-facts`}>
      <legend className="strong">
        <span className="code">{port.name}</span>
      </legend>
      <PortFacts port={port} id={`${id}-facts`} />
      <div className="start-roles">
        {(["wan", "lan", "unused"] as const).map((it) => (
          <label key={it} className={it === role ? "start-role chosen" : "start-role"}>
            <input type="radio" name={id} checked={it === role} onChange={() => onChange(it)} />
            {t.roles[it]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function PortFacts({ port, id }: { readonly port: Port; readonly id: string }) {
  const { setup: t, network } = useTranslation();
  const format = useFormat();
  const { name, kind, carrier, speed_mbps: speed, addresses } = port;
  const flow = useFlows([countedAs(name, port)], port.counters_at === null ? 0 : Date.parse(port.counters_at)).get(
    name,
  );
  const hop = port.default_gateway_v4 ?? port.default_gateway_v6;
  const facts = [
    network.kinds[kind],
    addresses.length === 0 ? t.noAddress : addresses.join(", "),
    hop === null ? "" : t.leadsTo(hop),
    flow?.now === undefined
      ? t.bytes(format.bytes(port.rx_bytes), format.bytes(port.tx_bytes))
      : t.rate(format.rate(flow.now.rx), format.rate(flow.now.tx)),
  ];
  return (
    <div id={id} className="start-port-facts fine">
      <State
        state={carrier ? "protected" : "unknown"}
        text={carrier ? (speed === null ? t.link : network.mbps(format.number(speed))) : t.noLink}
      />{" "}
      <span className="quiet wrap">{facts.filter((it) => it !== "").join(" · ")}</span>
    </div>
  );
}
