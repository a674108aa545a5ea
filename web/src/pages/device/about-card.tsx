import type { Device } from "@portcullis/contract/subsystems/devices";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Card } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

export function AboutCard({ device }: { readonly device: Device }) {
  const { device: messages, devices } = useTranslation();
  const t = messages.about;
  const { groups } = useBelongings();
  const { form } = devices;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [form.vendor, device.vendor],
    [form.hostname, device.hostname],
    [form.mac, device.mac && <span className="code">{device.mac}</span>],
    [
      form.addresses,
      device.ips.length > 0 &&
        device.ips.map((ip) => (
          <div key={ip} className="code">
            {ip}
          </div>
        )),
    ],
    [
      form.groups,
      device.group_ids.length > 0 &&
        device.group_ids.map((id) => (
          <div key={id}>
            <Link href={`/devices?group=${id}`}>{groups.get(id)?.name ?? id}</Link>
          </div>
        )),
    ],
    [t.firstSeen, <Ago key="first" at={device.first_seen} />],
    [t.lastSeen, device.last_seen !== null && <Ago key="last" at={device.last_seen} />],
    [form.notes, device.notes],
  ];
  return (
    <Card title={t.title}>
      <dl className="device-facts">
        {facts
          .filter(([, fact]) => Boolean(fact))
          .map(([label, fact]) => (
            <div key={label}>
              <dt className="quiet fine">{label}</dt>
              <dd className="wrap">{fact}</dd>
            </div>
          ))}
      </dl>
    </Card>
  );
}
