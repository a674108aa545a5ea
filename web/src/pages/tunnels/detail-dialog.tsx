import type { OpenvpnConfig, Tunnel, TunnelEgress, WireguardConfig } from "@portcullis/contract/subsystems/tunnels";
import { type ReactNode, useMemo } from "react";
import { Chart } from "../../ui/chart.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Table } from "../../ui/table.tsx";
import type { Flow } from "../../components/flows.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { TunnelCondition, UsedBy } from "../../components/tunnels/condition.tsx";
import { TunnelButtons } from "./actions.tsx";
import { Vitals } from "../../components/tunnels/vitals.tsx";

interface DetailProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly flow: Flow | undefined;
  readonly onClose: () => void;
}

/** All details of one tunnel. */
export function DetailDialog({ tunnel, policies, flow, onClose }: DetailProps) {
  const say = useWords().tunnels;
  return (
    <Dialog open onClose={onClose} wide title={tunnel.name}>
      <div className="row spread">
        <TunnelCondition tunnel={tunnel} />
        <TunnelButtons tunnel={tunnel} within="details" />
      </div>
      {tunnel.reason && <p className="quiet wrap">{say.reason(tunnel.reason)}</p>}
      <Vitals tunnel={tunnel} />
      <Throughput flow={flow} />
      <Settings tunnel={tunnel} />
      {tunnel.type === "wireguard" ? (
        <Wireguard config={tunnel.config as WireguardConfig} />
      ) : (
        <Openvpn config={tunnel.config as OpenvpnConfig} />
      )}
      <h2>{say.usedBy}</h2>
      <UsedBy policies={policies} most={50} />
    </Dialog>
  );
}

function Throughput({ flow }: { readonly flow: Flow | undefined }) {
  const say = useWords().tunnels;
  const format = useFormat();
  const rates = flow?.rates;
  const times = useMemo(() => rates?.map(({ at }) => new Date(at)) ?? [], [rates]);
  const series = useMemo(
    () => [
      { name: say.rx, colour: "--accent", values: rates?.map(({ rx }) => rx) ?? [] },
      { name: say.tx, colour: "--protected", values: rates?.map(({ tx }) => tx) ?? [] },
    ],
    [rates, say],
  );
  return (
    <>
      <h2>{say.throughputSince}</h2>
      {times.length < 2 ? (
        <p className="quiet">{say.soon}</p>
      ) : (
        <Chart label={say.throughput} times={times} series={series} unit={format.rate} />
      )}
    </>
  );
}

function Settings({ tunnel }: { readonly tunnel: Tunnel }) {
  const { tunnels: say, kit } = useWords();
  const format = useFormat();
  return (
    <Facts
      title={say.settings}
      facts={[
        [say.interface, tunnel.interface],
        [say.endpointNow, tunnel.endpoint],
        [say.wanted, tunnel.enabled ? kit.on : kit.off],
        [say.passesProbe, tunnel.healthy ? kit.yes : kit.no],
        [say.probeTarget, tunnel.probe_target ?? say.chosen],
        [say.mtu, tunnel.mtu === null ? say.found : format.number(tunnel.mtu)],
        [say.received, format.bytes(tunnel.rx_bytes)],
        [say.sent, format.bytes(tunnel.tx_bytes)],
      ]}
    />
  );
}

function Wireguard({ config }: { readonly config: WireguardConfig }) {
  const { tunnels: say, kit } = useWords();
  const format = useFormat();
  return (
    <>
      <Facts
        title={say.ownSide}
        facts={[
          [say.addresses, config.addresses.join(", ")],
          [say.dns, config.dns.join(", ")],
          [say.listenPort, config.listen_port === null ? say.anyPort : String(config.listen_port)],
          [say.publicKey, <code key="key">{config.public_key}</code>],
        ]}
      />
      <h2>{say.peers}</h2>
      <Table
        label={say.peers}
        rows={config.peers}
        rowKey={({ public_key }) => public_key}
        columns={[
          { key: "key", title: say.publicKey, width: "2fr", cell: ({ public_key }) => <code>{public_key}</code> },
          { key: "endpoint", title: say.endpoint, width: "1.5fr", cell: ({ endpoint }) => endpoint ?? "–" },
          { key: "allowed", title: say.allowedIps, width: "1.5fr", cell: ({ allowed_ips }) => allowed_ips.join(", ") },
          {
            key: "keepalive",
            title: say.keepalive,
            cell: ({ persistent_keepalive: seconds }) => (seconds === 0 ? kit.none : format.duration(seconds)),
          },
          {
            key: "psk",
            title: say.presharedKey,
            cell: ({ has_preshared_key }) => (has_preshared_key ? kit.yes : kit.no),
          },
        ]}
      />
    </>
  );
}

function Openvpn({ config }: { readonly config: OpenvpnConfig }) {
  const { tunnels: say, kit } = useWords();
  return (
    <>
      <Facts
        title={say.otherSide}
        facts={[
          [say.servers, config.remotes.map(({ host, port, protocol }) => `${host}:${port} (${protocol})`).join(", ")],
          [say.username, config.username ?? (config.requires_credentials ? say.missing : say.notAsked)],
          [say.password, config.has_password ? say.kept : config.requires_credentials ? say.missing : say.notAsked],
          [say.certificates, Object.keys(config.blocks).join(", ")],
          [say.keptSecret, config.secret_blocks.join(", ")],
        ]}
      />
      <details>
        <summary>{say.directives(config.directives.length)}</summary>
        <ul>
          {config.directives.map(({ name, args }, place) => (
            <li key={place}>
              <code>{[name, ...args].join(" ")}</code>
            </li>
          ))}
          {config.directives.length === 0 && <li>{kit.none}</li>}
        </ul>
      </details>
    </>
  );
}

interface FactsProps {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

function Facts({ title, facts }: FactsProps) {
  return (
    <>
      <h2>{title}</h2>
      <dl className="tunnels-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="quiet fine">{name}</dt>
            <dd className="wrap">{value === null || value === "" ? "–" : value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
