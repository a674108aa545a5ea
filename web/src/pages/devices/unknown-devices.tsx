import type { DiscoveredDevice } from "@portcullis/contract/subsystems/discovery";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useGo } from "../../ui/search-param.ts";
import { iconOf } from "../../components/device-kind.ts";
import { useToast } from "../../ui/toasts.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFallbackInterval } from "../../api/live.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { invalidatedByDevice } from "../../components/device-change.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { LinkDialog } from "./link-dialog.tsx";

const maxShown = 6;

/** Devices that the gateway sees on the LAN and that match none of its own; the most recent first. */
export function UnknownDevices() {
  const t = useTranslation().devices.unknown;
  const may = useMay();
  const [all, setAll] = useState(false);
  const [linking, setLinking] = useState<DiscoveredDevice>();
  const page = useQuery({
    ...apiQuery("discovery", "list", { query: { known: false, limit: 1000 } }),
    enabled: may(["discovery", "list"]),
    refetchInterval: useFallbackInterval(10_000),
  }).data;
  if (!page || page.items.length === 0) return null;
  const count = page.total ?? page.items.length;
  return (
    <section className="knocks" aria-label={t.title(count)}>
      <ul>
        {page.items
          .toSorted(latestFirst)
          .slice(0, all ? page.items.length : maxShown)
          .map((device) => (
            <UnknownDevice key={device.mac} device={device} onLink={() => setLinking(device)} />
          ))}
      </ul>
      <p className="quiet knocks-note">
        {t.effects}{" "}
        {count > maxShown && !all && (
          <button type="button" className="link" onClick={() => setAll(true)}>
            {t.more(count - maxShown)}
          </button>
        )}
      </p>
      {linking && <LinkDialog discovered={linking} onClose={() => setLinking(undefined)} />}
    </section>
  );
}

const latestFirst = (a: DiscoveredDevice, b: DiscoveredDevice): number =>
  (b.last_seen ?? b.first_seen).localeCompare(a.last_seen ?? a.first_seen);

function UnknownDevice({ device, onLink }: { readonly device: DiscoveredDevice; readonly onLink: () => void }) {
  const { ui, devices } = useTranslation();
  const t = devices.unknown;
  const toast = useToast();
  const options = { invalidates: ["devices", ...invalidatedByDevice] } as const;
  const allow = useAction("discovery", "allow", options);
  const guest = useAction("discovery", "guest", options);
  const block = useAction("discovery", "block", options);
  const decide = (decision: typeof allow, done: (name: string) => string) =>
    decision.mutate(
      { params: { mac: device.mac }, body: {} },
      { onSuccess: ({ name }) => toast.done(done(name)), onError: (problem) => toast.failed(problem) },
    );
  const { mac, addresses, interface: link, last_seen, first_seen, vendor, suggested_name, random_mac, facts } = device;
  const product = facts.find(({ field }) => field === "product")?.value;
  const icon = iconOf({ name: suggested_name, hostname: product ?? null, vendor });
  const traits = [
    mac,
    random_mac ? t.randomMac : vendor,
    product,
    ...addresses.slice(0, 2).map(({ address }) => address),
    link,
  ];
  const go = useGo();
  return (
    <li className="knock">
      <span className="devices-kind">
        <Icon name={icon === "devices" ? "unknownDevice" : icon} />
      </span>
      <div className="grow">
        <p className="knock-name cut">{t.wantsIn(suggested_name)}</p>
        <p className="quiet knock-traits wrap">
          {traits.filter(Boolean).join(" · ")} · {t.seen} <Ago at={last_seen ?? first_seen} />
        </p>
        <Sources facts={facts} />
      </div>
      <div className="row knock-actions">
        <Button
          kind="main"
          needs={["discovery", "allow"]}
          busy={allow.isPending}
          onPress={() => decide(allow, t.allowed)}
        >
          {t.allow}
        </Button>
        <Button needs={["discovery", "guest"]} busy={guest.isPending} onPress={() => decide(guest, t.isGuest)}>
          {t.guest}
        </Button>
        <Button needs={["discovery", "block"]} busy={block.isPending} onPress={() => decide(block, t.blocked)}>
          {t.block}
        </Button>
        <Menu
          label={ui.actionsFor(suggested_name)}
          items={[
            {
              label: t.identify,
              icon: "edit",
              needs: ["devices", "create"],
              onPress: () => go(`/devices?do=add&mac=${encodeURIComponent(mac)}`),
            },
            random_mac && { label: t.link, needs: ["discovery", "link"], onPress: onLink },
          ]}
        />
      </div>
    </li>
  );
}

/** Where each name comes from, and how old it is: a device may call itself anything. */
function Sources({ facts }: Pick<DiscoveredDevice, "facts">) {
  const t = useTranslation().devices.unknown;
  const names = facts.filter(({ field }) => field === "name" || field === "hostname" || field === "product");
  if (names.length === 0) return null;
  return (
    <p className="quiet knock-traits wrap">
      {names.map(({ field, source, value, seen_at }, index) => (
        <span key={`${field} ${source}`}>
          {index > 0 && " · "}
          {t.sources[source]}: {value} (<Ago at={seen_at} />)
        </span>
      ))}
    </p>
  );
}
