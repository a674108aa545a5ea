import { type Control, controls, effectiveControls, defaultPrivacy } from "@portcullis/contract/privacy-controls";
import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { PublishedDhcp } from "@portcullis/contract/subsystems/dhcp";
import type { PublishedRouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import type { PublishedSegment } from "@portcullis/contract/subsystems/segments";
import type { Exception } from "@portcullis/contract/subsystems/exceptions";
import type { PrivacyDefaults, PublishedPrivacy } from "@portcullis/contract/subsystems/privacy";
import type { Policy, Profile } from "@portcullis/contract/subsystems/routing";
import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import type { PublishedVlan } from "@portcullis/contract/subsystems/vlans";
import { type ActivePause, pausedDevices, pausesOf } from "./read-pauses.ts";
import type { Intent, IntentDevice, IntentException, IntentPolicy, Network } from "./intent.ts";
import { type LinkResources, linksIn, uplinksIn } from "./read-links.ts";
import { type DnsResources, dnsIn } from "./read-dns.ts";
import { divided, type SchedulePeriod } from "./scheduled.ts";
import { memoize, reuseEqual } from "../memoize.ts";

/** The part of a document, published or staged, that the compiler reads. */
export interface Resources extends LinkResources, DnsResources {
  readonly device: readonly (Omit<Device, "last_seen" | Control> & Partial<Pick<Device, Control>>)[];
  readonly device_group: readonly { readonly id: string }[];
  readonly privacy_class: readonly PrivacyClass[];
  readonly trust_class: readonly { readonly id: string; readonly default_privacy_class: string | null }[];
  readonly routing_policy: readonly Policy[];
  readonly profile: readonly Profile[];
  /** At most one resource. */
  readonly uplinks: readonly WanUplinks[];
  /** The same. */
  readonly segment?: readonly PublishedSegment[];
  readonly vlan?: readonly PublishedVlan[];
  readonly dhcp?: readonly PublishedDhcp[];
  readonly router_advertisements?: readonly PublishedRouterAdvertisements[];
  /** The same. */
  readonly privacy?: readonly PublishedPrivacy[];
}

/** The part of an active exception that the compiler reads. */
export type ActiveException = Pick<
  Exception,
  "id" | "type" | "device_id" | "allow_direct" | "destinations" | "expires_at"
> &
  Partial<Pick<Exception, "answers">>;

/** What applies for a limited time: exceptions and pauses. */
export type Temporary = ActiveException | ActivePause;

const isPause = (it: Temporary): it is ActivePause => "source_type" in it;

/** Without periods, every schedule counts as active. */
export const intentOf = (
  resources: Resources,
  network: Network,
  exceptions: readonly Temporary[],
  periods?: readonly SchedulePeriod[],
): Intent => intentReader()(resources, network, exceptions, periods);

/** Resources → intent: references to profiles and classes are replaced by their contents. */
export function intentReader(): (
  resources: Resources,
  network: Network,
  temporary: readonly Temporary[],
  periods?: readonly SchedulePeriod[],
) => Intent {
  const enabled = memoize(policiesOf);
  const byTime = memoize(divided);
  const disabled = memoize(policiesOf);
  // Small, and parsed again with every revision: comparing them is cheap.
  const links = reuseEqual<ReturnType<typeof linksIn>>();
  const uplinks = reuseEqual<Intent["uplinks"]>();
  const segments = reuseEqual<Intent["segments"]>();
  const dhcp = reuseEqual<Intent["dhcp"]>();
  const advertisements = reuseEqual<Intent["advertisements"]>();
  const dns = reuseEqual<Intent["dns"]>();
  return (resources, network, temporary, periods) => ({
    network,
    groups: resources.device_group.map(({ id }) => id),
    devices: devicesOf(resources),
    controlsOfUnknown: switchedOn(effectiveControls({}, undefined, privacyDefaults(resources))),
    ...byTime(enabled(resources.routing_policy, resources.profile, true), periods),
    disabledPolicies: disabled(resources.routing_policy, resources.profile, false),
    ...temporaryOf(resources, temporary),
    ...links(linksIn(resources)),
    uplinks: uplinks(uplinksIn(resources.uplinks ?? [], network.uplinks)),
    segments: segments((resources.segment ?? []).map(({ id, name, reaches }) => ({ interface: id, name, reaches }))),
    dhcp: dhcp(resources.dhcp?.[0]?.ranges ?? []),
    advertisements: advertisements(resources.router_advertisements?.[0]?.interfaces ?? []),
    dns: dns(dnsIn(resources, network.dns)),
  });
}

const privacyDefaults = ({ privacy = [] }: Resources): PrivacyDefaults => ({ ...defaultPrivacy, ...privacy[0] });

function devicesOf(resources: Resources): IntentDevice[] {
  const { device, privacy_class, trust_class } = resources;
  const classes = new Map(privacy_class.map((it) => [it.id, it]));
  const defaults = privacyDefaults(resources);
  const byTrust = new Map(trust_class.map((it) => [it.id, it.default_privacy_class]));
  const classOf = (it: Pick<Device, "privacy_class" | "trust_class">): string =>
    it.privacy_class ?? (it.trust_class === null ? null : byTrust.get(it.trust_class)) ?? "";
  return device.map((it) => {
    const held = classes.get(classOf(it));
    return {
      id: it.id,
      mac: it.mac,
      ips: it.ips,
      groupIds: it.group_ids,
      requiresTunnel: held?.require_tunnel ?? false,
      controls: switchedOn(effectiveControls(it, held, defaults)),
    };
  });
}

/** One shared array for each combination: comparing identities is cheaper than comparing the lists of all devices. */
function switchedOn(held: ReturnType<typeof effectiveControls>): readonly Control[] {
  return combinations[controls.reduce((bits, control, index) => bits | (held[control].on ? 1 << index : 0), 0)]!;
}

const combinations: readonly (readonly Control[])[] = Array.from({ length: 1 << controls.length }, (_, bits) =>
  controls.filter((_control, index) => (bits & (1 << index)) !== 0),
);

function policiesOf(policies: readonly Policy[], profiles: readonly Profile[], wanted: boolean): IntentPolicy[] {
  const profileById = new Map(profiles.map((profile) => [profile.id, profile]));
  return policies
    .filter(({ enabled }) => enabled === wanted)
    .map((policy) => {
      const { hops, fail_policy, splitting } = (policy.profile_id && profileById.get(policy.profile_id)) || policy;
      const { id, priority, source_type, source_value, schedule_id } = policy;
      return {
        id,
        priority,
        sourceType: source_type,
        sourceValue: source_value,
        hops,
        failPolicy: fail_policy,
        splitting,
        ...(schedule_id && { scheduleId: schedule_id }),
      };
    });
}

/** A device whose state is quarantined is blocked until the state changes. */
const quarantinedDevices = ({ device }: Resources): IntentException[] =>
  device
    .filter(({ state }) => state === "quarantined")
    .map(({ id, mac, ips }) => ({
      id: null,
      type: "quarantine",
      effect: "quarantine",
      deviceId: id,
      mac,
      ips,
      destinations: [],
      untilMs: null,
    }));

function temporaryOf(resources: Resources, temporary: readonly Temporary[]): Pick<Intent, "exceptions" | "pauses"> {
  const active = temporary.filter(isPause);
  const pauses = pausesOf(resources, active);
  return {
    exceptions: [
      ...quarantinedDevices(resources),
      ...exceptionsOf(
        resources,
        temporary.filter((it) => !isPause(it)),
      ),
      ...pausedDevices(resources, active, pauses),
    ],
    ...(pauses.length > 0 && { pauses }),
  };
}

/** An exception of a removed device matches nothing. */
function exceptionsOf({ device }: Resources, exceptions: readonly ActiveException[]): IntentException[] {
  if (exceptions.length === 0) return [];
  const devices = new Map(device.map((it) => [it.id, it]));
  return exceptions.flatMap(({ id, type, device_id, allow_direct, destinations, expires_at, answers = [] }) => {
    const sender = devices.get(device_id);
    if (!sender) return [];
    return [
      {
        id,
        type,
        effect: allow_direct ? ("direct" as const) : ("quarantine" as const),
        deviceId: device_id,
        mac: sender.mac,
        ips: sender.ips,
        destinations,
        untilMs: Date.parse(expires_at),
        ...(answers.length > 0 && { answers }),
      },
    ];
  });
}
