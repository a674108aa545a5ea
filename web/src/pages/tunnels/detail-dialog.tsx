import type { OpenvpnConfig, Tunnel, TunnelEgress, WireguardConfig } from "@portcullis/contract/subsystems/tunnels";
import { type ReactNode, useMemo } from "react";
import { Chart } from "../../ui/chart.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Table } from "../../ui/table.tsx";
import type { Flow } from "../../components/flows.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
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
  const t = useTranslation().tunnels;
  const why = useReason();
  return (
    <Dialog open onClose={onClose} wide title={tunnel.name}>
      <div className="row spread">
        <TunnelCondition tunnel={tunnel} />
        <TunnelButtons tunnel={tunnel} within="details" />
      </div>
      <p className="quiet wrap">{why.sentence(tunnel)}</p>
      <Vitals tunnel={tunnel} />
      <Throughput flow={flow} />
      <Settings tunnel={tunnel} />
      {tunnel.type === "wireguard" ? (
        <Wireguard config={tunnel.config as WireguardConfig} />
      ) : (
        <Openvpn config={tunnel.config as OpenvpnConfig} />
      )}
      <h2>{t.usedBy}</h2>
      <UsedBy policies={policies} max={50} />
    </Dialog>
  );
}

function Throughput({ flow }: { readonly flow: Flow | undefined }) {
  const t = useTranslation().tunnels;
  const format = useFormat();
  const rates = flow?.rates;
  const times = useMemo(() => rates?.map(({ at }) => new Date(at)) ?? [], [rates]);
  const series = useMemo(
    () => [
      { name: t.rx, colour: "--accent", values: rates?.map(({ rx }) => rx) ?? [] },
      { name: t.tx, colour: "--protected", values: rates?.map(({ tx }) => tx) ?? [] },
    ],
    [rates, t],
  );
  return (
    <>
      <h2>{t.throughputSince}</h2>
      {times.length < 2 ? (
        <p className="quiet">{t.soon}</p>
      ) : (
        <Chart label={t.throughput} times={times} series={series} unit={format.rate} />
      )}
    </>
  );
}

function Settings({ tunnel }: { readonly tunnel: Tunnel }) {
  const { tunnels: t, ui } = useTranslation();
  const format = useFormat();
  return (
    <Facts
      title={t.settings}
      facts={[
        [t.interface, tunnel.interface],
        [t.endpointNow, tunnel.endpoint],
        [t.wanted, tunnel.enabled ? ui.on : ui.off],
        [t.passesProbe, tunnel.healthy ? ui.yes : ui.no],
        [t.probeTarget, tunnel.probe_target ?? t.chosen],
        [t.mtu, tunnel.mtu === null ? t.found : format.number(tunnel.mtu)],
        [t.received, format.bytes(tunnel.rx_bytes)],
        [t.sent, format.bytes(tunnel.tx_bytes)],
      ]}
    />
  );
}

function Wireguard({ config }: { readonly config: WireguardConfig }) {
  const { tunnels: t, ui } = useTranslation();
  const format = useFormat();
  return (
    <>
      <Facts
        title={t.ownSide}
        facts={[
          [t.addresses, config.addresses.join(", ")],
          [t.dns, config.dns.join(", ")],
          [t.listenPort, config.listen_port === null ? t.anyPort : String(config.listen_port)],
          [t.publicKey, <code key="key">{config.public_key}</code>],
        ]}
      />
      <h2>{t.peers}</h2>
      <Table
        label={t.peers}
        rows={config.peers}
        rowKey={({ public_key }) => public_key}
        columns={[
          { key: "key", title: t.publicKey, width: "2fr", cell: ({ public_key }) => <code>{public_key}</code> },
          { key: "endpoint", title: t.endpoint, width: "1.5fr", cell: ({ endpoint }) => endpoint ?? "–" },
          { key: "allowed", title: t.allowedIps, width: "1.5fr", cell: ({ allowed_ips }) => allowed_ips.join(", ") },
          {
            key: "keepalive",
            title: t.keepalive,
            cell: ({ persistent_keepalive: seconds }) => (seconds === 0 ? ui.none : format.duration(seconds)),
          },
          {
            key: "psk",
            title: t.presharedKey,
            cell: ({ has_preshared_key }) => (has_preshared_key ? ui.yes : ui.no),
          },
        ]}
      />
    </>
  );
}

function Openvpn({ config }: { readonly config: OpenvpnConfig }) {
  const { tunnels: t, ui } = useTranslation();
  return (
    <>
      <Facts
        title={t.otherSide}
        facts={[
          [t.servers, config.remotes.map(({ host, port, protocol }) => `${host}:${port} (${protocol})`).join(", ")],
          [t.username, config.username ?? (config.requires_credentials ? t.missing : t.notRequired)],
          [t.password, config.has_password ? t.kept : config.requires_credentials ? t.missing : t.notRequired],
          [t.certificates, Object.keys(config.blocks).join(", ")],
          [t.keptSecret, config.secret_blocks.join(", ")],
        ]}
      />
      <details>
        <summary>{t.directives(config.directives.length)}</summary>
        <ul>
          {config.directives.map(({ name, args }, index) => (
            <li key={index}>
              <code>{[name, ...args].join(" ")}</code>
            </li>
          ))}
          {config.directives.length === 0 && <li>{ui.none}</li>}
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
