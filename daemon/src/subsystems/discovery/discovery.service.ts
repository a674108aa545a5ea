import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Device, deviceGroups, devices } from "@portcullis/contract/subsystems/devices";
import {
  type DiscoveredDevice,
  type Discovery,
  type discovery,
  type DiscoveredFact,
  guestGroup,
} from "@portcullis/contract/subsystems/discovery";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { formatMac } from "../../net/addresses.ts";
import { keyOf, nameKey } from "../lookup.ts";
import { pageByNumber, resolve } from "../resources.ts";
import { isRandom, nameFrom } from "./discovered-name.ts";

/** A network card, as it is observed. */
export interface ObservedCard {
  readonly number: number;
  readonly mac: string;
  readonly interface: string;
  readonly addresses: readonly { readonly address: string; readonly seenMs: number }[];
  readonly facts: readonly (Omit<DiscoveredFact, "seen_at"> & { readonly seenMs: number })[];
  readonly firstMs: number;
  readonly lastMs: number | null;
  readonly isOnline: boolean;
}

/** The observations. */
export interface DiscoverySource {
  readonly all: () => readonly ObservedCard[];
  readonly get: (mac: string) => ObservedCard | undefined;
  /** null: the prefix is not registered; undefined: there is no registry. */
  readonly vendorOf: (mac: string) => string | null | undefined;
  readonly sources: () => Discovery["sources"];
}

interface Needs {
  readonly ledger: Ledger;
  readonly source: DiscoverySource;
  readonly createDevice: (cause: Cause, body: InputOf<typeof devices.create>["body"]) => Device;
  readonly updateDevice: (cause: Cause, id: string, body: InputOf<typeof devices.update>["body"]) => Device;
  readonly createGroup: (cause: Cause, body: InputOf<typeof deviceGroups.create>["body"]) => { readonly id: string };
}

interface StagedDevice extends Pick<Device, "id" | "name" | "mac" | "ips" | "hostname"> {}
type Choice = InputOf<typeof discovery.allow>["body"];
type ListQuery = InputOf<typeof discovery.list>["query"];

export type DiscoveryService = ReturnType<typeof discoveryService>;

/** Devices that were observed on the LANs, and what the operator decides about unknown ones. */
export function discoveryService({ ledger, source, createDevice, updateDevice, createGroup }: Needs) {
  const collection = ledger.staged<StagedDevice>("device");
  /** Of one revision, because a program that reads the metrics polls. Changes of devices are published at once. */
  let known: { readonly revision: number; readonly find: ReturnType<typeof finder> } | undefined;

  function list({ known, online, ...page }: ListQuery) {
    const find = finder(collection.all());
    const rows = source
      .all()
      .filter((card) => online === undefined || card.isOnline === online)
      .map((card) => ({ card, device: find(card) }))
      .filter(({ device }) => known === undefined || (device !== undefined) === known)
      .toSorted((a, b) => a.card.number - b.card.number);
    const { items, ...rest } = pageByNumber(rows, ({ card }) => card.number, page);
    const show = shower();
    return { items: items.map(({ card, device }) => show(card, device)), ...rest };
  }

  function states(): { readonly known: boolean; readonly online: boolean; readonly deviceId: string | null }[] {
    const revision = ledger.revision();
    if (known?.revision !== revision) known = { revision, find: finder(collection.all()) };
    const { find } = known;
    return source.all().map((card) => {
      const device = find(card);
      return { known: device !== undefined, online: card.isOnline, deviceId: device?.id ?? null };
    });
  }

  /** Prepared once for a whole page. */
  function shower(): (card: ObservedCard, device: StagedDevice | undefined) => DiscoveredDevice {
    const all = collection.all();
    const taken = new Set(all.map((it) => keyOf(it)));
    const byHostname = Map.groupBy(
      all.filter(({ hostname }) => hostname !== null),
      ({ hostname }) => hostname!.toLowerCase(),
    );
    return (card, device) => {
      const vendor = source.vendorOf(card.mac);
      const random = isRandom(card.mac);
      const hostnames = card.facts.filter(({ field }) => field === "hostname").map(({ value }) => value.toLowerCase());
      const candidates = device || !random ? [] : hostnames.flatMap((it) => byHostname.get(it) ?? []);
      return {
        mac: card.mac,
        random_mac: random,
        device_id: device?.id ?? null,
        device_name: device?.name ?? null,
        interface: card.interface,
        addresses: card.addresses.map(({ address, seenMs }) => ({ address, seen_at: timestamp(seenMs) })),
        vendor: random ? null : (vendor ?? null),
        vendor_status: random
          ? "random_mac"
          : vendor === undefined
            ? "no_registry"
            : vendor === null
              ? "not_registered"
              : "registered",
        suggested_name: nameFrom(card, random ? null : vendor, (name) => taken.has(nameKey(name))),
        facts: card.facts.map(({ seenMs, ...fact }) => ({ ...fact, seen_at: timestamp(seenMs) })),
        online: card.isOnline,
        first_seen: timestamp(card.firstMs),
        last_seen: card.lastMs === null ? null : timestamp(card.lastMs),
        candidates: [...new Set(candidates)]
          .filter(({ mac }) => mac === null || source.get(mac)?.isOnline !== true)
          .map(({ id, name }) => ({ device_id: id, device_name: name })),
      };
    };
  }

  /** An unknown device that was observed. A known one is refused: its own settings decide. */
  function unknown(text: string): ObservedCard {
    const mac = formatMac(text);
    const card = source.get(mac);
    if (!card) throw new Problem("not_found", { mac }, { message: "No device with this MAC address was observed" });
    const device = finder(collection.all())(card);
    if (device)
      throw new Problem(
        "conflict",
        { field: "mac", existing_id: device.id },
        { message: `It is a known device already: ${device.name}` },
      );
    return card;
  }

  function create(cause: Cause, mac: string, body: Choice, more: Partial<Pick<Device, "state" | "group_ids">>): Device {
    const card = unknown(mac);
    const seen = shower()(card, undefined);
    return createDevice(cause, {
      ...body,
      name: body.name ?? seen.suggested_name,
      mac: card.mac,
      hostname: card.facts.find(({ field, value }) => field === "hostname" && isHostname(value))?.value ?? null,
      vendor: seen.vendor,
      ...more,
    });
  }

  function guestGroupId(cause: Cause): string {
    const existing = ledger
      .staged<{ readonly id: string; readonly name: string }>("device_group")
      .all()
      .find((it) => keyOf(it) === nameKey(guestGroup));
    if (existing) return existing.id;
    const creating = { ...cause, action: "create_device_group", resourceType: "device_group" };
    return createGroup(creating, { name: guestGroup, description: "" }).id;
  }

  /** A host name proves nothing: a device that uses that of another one must not turn this one into an unknown device. */
  function linkable(reference: string): string {
    const id = resolve(collection, "device_id", reference);
    const { name, mac } = collection.get(id)!;
    if (mac !== null && source.get(mac)?.isOnline === true)
      throw new Problem(
        "conflict",
        { field: "device_id", existing_id: id },
        {
          message: `${name} is online with the MAC address ${mac}, which would be that of an unknown device. Update the device if it has another one now`,
        },
      );
    return id;
  }

  return {
    list,
    states,
    sources: (): Discovery => ({ sources: source.sources() }),
    allow: (cause: Cause, mac: string, body: Choice): Device => create(cause, mac, body, { state: "known" }),
    guest: (cause: Cause, mac: string, body: Choice): Device => {
      unknown(mac); // Before the group is created.
      return create(cause, mac, body, { state: "known", group_ids: [guestGroupId(cause)] });
    },
    block: (cause: Cause, mac: string, body: Choice): Device => create(cause, mac, body, { state: "quarantined" }),
    link: (cause: Cause, mac: string, device: string): Device =>
      updateDevice(cause, linkable(device), { mac: unknown(mac).mac }),
  };
}

/** The device of a card: by its MAC, or by an address of a device without one. */
function finder(all: readonly StagedDevice[]): (card: ObservedCard) => StagedDevice | undefined {
  const devices = new Map(
    all.flatMap((it) => (it.mac === null ? it.ips.map((ip) => [ip, it] as const) : [[it.mac, it] as const])),
  );
  return ({ mac, addresses }) =>
    devices.get(mac) ?? addresses.map(({ address }) => devices.get(address)).find((it) => it !== undefined);
}

const isHostname = (text: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(text);

const timestamp = (ms: number): string => new Date(ms).toISOString();
