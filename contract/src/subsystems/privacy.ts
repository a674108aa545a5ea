import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  named,
  notEnforcedFields,
  Nullable,
  OneOf,
  reasonFields,
  ReferenceOrName,
  sentenceFields,
  Timestamp,
} from "../values.ts";
import { DnsMode, privacyControls } from "./classes.ts";

const defaults = { dns_mode: DnsMode, ...privacyControls };
const PrivacyDefaults = Type.Object(defaults);
/** The defaults for a device without its own setting and without a class. */
export type PrivacyDefaults = Readonly<Static<typeof PrivacyDefaults>>;
/** The published defaults: only those that were set. */
export type PublishedPrivacy = Partial<PrivacyDefaults> & { readonly id: string };

const ControlName = OneOf(["force_dns", "block_doh", "block_ipv6", "block_webrtc"]);
const Enforced = Type.Boolean({
  description: "Whether the kernel has it; false while the dataplane is off or an engine failed",
});

const Held = Type.Object({
  on: Type.Boolean(),
  from: OneOf(["device", "class", "system"], { description: "Level that sets it: the most specific one decides" }),
});

const Posture = OneOf(["protected", "blocked", "exposed"], {
  description: "protected: leaves through hops; blocked: does not leave; exposed: leaves by the uplink in the clear",
});

const verdicts = ["no-leak", "direct", "at-risk", "leaking"] as const;
const verdictWords = "direct: some of its traffic leaves in the clear, as configured, and there are no other findings";
const Verdict = OneOf([...verdicts, "unchecked"], {
  description: `Result of the last leak check. ${verdictWords}`,
});

const Worst = OneOf(["no-leak", "at-risk", "leaking"], {
  description: "The worst verdict; direct counts as no-leak",
});

const PrivacyOfDevice = named(
  "PrivacyOfDevice",
  Type.Object({
    device_id: Id,
    name: Type.String(),
    posture: Posture,
    ...reasonFields("Reason of the posture, as a sentence"),
    policy_id: Nullable({ ...Id, description: "The policy that decides; null: none, or an exception decides" }),
    exception_id: Nullable(Id),
    privacy_class: Nullable({ ...Id, description: "Effective class: its own, or the default of its trust class" }),
    controls: Type.Object({ force_dns: Held, block_doh: Held, block_ipv6: Held, block_webrtc: Held }),
    attempts: Type.Integer({
      description: "Packets since the daemon started to count: blocked by the guard, or queries to foreign resolvers",
    }),
    verdict: Verdict,
  }),
);

const PrivacyStatus = named(
  "PrivacyStatus",
  Type.Object({
    ...defaults,
    ...notEnforcedFields,
    protected: Type.Integer({ description: "Number of devices whose traffic leaves through hops" }),
    blocked: Type.Integer({ description: "Number of devices whose traffic is blocked" }),
    exposed: Type.Integer({ description: "Number of devices whose traffic leaves by the uplink in the clear" }),
    unknown_device: { ...Posture, description: "Posture of a device that is not known" },
    last_check: Nullable({ ...Timestamp, description: "End of the last leak check; null: none" }),
    last_verdict: Nullable({
      ...Worst,
      description: "Its verdict for all checked devices and the gateway",
    }),
    no_leak_since: Nullable({
      ...Timestamp,
      description:
        "End of the first check of all devices since the last leak; null: none has run since the daemon started, or the last one found a leak",
    }),
    passed_checks: Type.Integer({ description: "Number of checks of all devices since then; none found a leak" }),
    leaking: Type.Integer({ description: "Number of devices that leak according to the last leak check" }),
    devices: Type.Array(PrivacyOfDevice, { description: "In order of id" }),
  }),
);
export type PrivacyStatus = Static<typeof PrivacyStatus>;

const DnsModeSetting = named("DnsModeSetting", Type.Object({ mode: DnsMode }));
const DnsModeChanged = named("DnsModeChanged", Type.Object({ mode: DnsMode, enforced: Enforced }));

const ControlChange = named(
  "PrivacyControlChange",
  closed(
    optionals({
      device_id: ReferenceOrName("device"),
      privacy_class: ReferenceOrName("privacy_class"),
      enabled: Nullable(
        Type.Boolean({
          description:
            "Absent: inverts the effective value. null: removes the device's own setting, so that its class or the system default decides",
        }),
      ),
    }),
  ),
);

const ControlState = named(
  "PrivacyControlState",
  Type.Object({
    control: ControlName,
    scope: OneOf(["device", "class", "system"]),
    device_id: Nullable(Id),
    privacy_class: Nullable(Id),
    enabled: Nullable(
      Type.Boolean({ description: "The setting of this scope; null: none, so that the next scope decides" }),
    ),
    on: Type.Boolean({ description: "The effective value" }),
    enforced: Enforced,
  }),
);
export type ControlState = Static<typeof ControlState>;

const switching = (path: `/privacy/${string}`, summary: string) =>
  endpoint({
    method: "POST",
    path,
    role: "operator",
    summary,
    description:
      "For one device, for a privacy class, or for the system; the most specific setting decides. It is in force when the response is sent. Without a body it inverts the system default.",
    body: ControlChange,
    bodyOptional: true,
    result: ControlState,
    errors: ["conflict", "change_pending"],
    audit: { verb: "switch", noun: path.slice("/privacy/".length).replace("-", "_") },
    cli: { words: ["privacy", path.slice("/privacy/".length)] },
  });

/** Causes of findings. They are stable: alerts and tests refer to them. */
export const leakCauses = [
  "exposed-by-policy",
  "exposed-by-exception",
  "exposed-by-pause",
  "direct-fallback",
  "foreign-rule",
  "wrong-route",
  "guard-missing",
  "steering-changed",
  "foreign-translation",
  "stale-connection",
  "ipv6-beside-tunnel",
  "foreign-resolver",
  "dns-in-the-clear",
  "tunnel-egress-is-uplink",
  "kernel-settings",
  "seen-outside",
] as const;
export type LeakCause = (typeof leakCauses)[number];

const Evidence = named(
  "LeakEvidence",
  Type.Object({
    ...sentenceFields("what", "The check, as a command or a sentence"),
    ...sentenceFields("expected"),
    ...sentenceFields("found"),
  }),
);

const LeakFinding = named(
  "LeakFinding",
  Type.Object({
    cause: OneOf(leakCauses),
    severity: OneOf(["leak", "risk", "intended"], {
      description:
        "leak: traffic leaves in the clear; risk: it does not, but the state is not the desired one; intended: it does, as configured",
    }),
    ...sentenceFields("message"),
    evidence: Type.Array(Evidence),
  }),
);
export type LeakFinding = Static<typeof LeakFinding>;

const CheckedDevice = named(
  "LeakCheckedDevice",
  Type.Object({
    device_id: Id,
    name: Type.String(),
    posture: Posture,
    verdict: OneOf(verdicts, { description: verdictWords }),
    findings: Type.Array(LeakFinding),
    evidence: Type.Array(Evidence, {
      description: "Checks that passed, and checks that could not be run",
    }),
    checked_at: { ...Timestamp, description: "Time of its last check" },
  }),
);
export type CheckedDevice = Static<typeof CheckedDevice>;

const LeakCheck = named(
  "LeakCheck",
  Type.Object({
    started_at: Timestamp,
    finished_at: Timestamp,
    cause: OneOf(["request", "tunnel-change"]),
    verdict: Worst,
    devices: Type.Array(CheckedDevice),
    unchecked: Type.Integer({
      description:
        "Number of devices without a result: a check after a tunnel change covers 256 devices, and tunnels or rules changed while the others were checked",
    }),
    gateway: Type.Array(LeakFinding, { description: "Findings that concern no single device" }),
    discarded: Type.Boolean({
      description: "Whether the result is void, because tunnels or rules changed during the check",
    }),
  }),
);
export type LeakCheck = Static<typeof LeakCheck>;

const monitor = {
  enabled: Type.Boolean({ description: "Whether a leak check runs after each tunnel change" }),
  delay_sec: Type.Integer({ minimum: 0, maximum: 300, description: "Seconds between the change and the check" }),
  address_echo_url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}@#]+$",
      description: "URL of a page that returns the address of the client; null: none is requested",
    }),
  ),
  resolver_echo_name: Nullable(
    Type.String({
      maxLength: 253,
      description:
        "A name whose answer (A, AAAA or TXT) identifies the resolver that queried it; null: none is queried",
    }),
  ),
};
const LeakMonitorSettings = Type.Object(monitor);
export type LeakMonitorSettings = Readonly<Static<typeof LeakMonitorSettings>>;
export type PublishedLeakMonitor = Partial<LeakMonitorSettings> & { readonly id: string };

const Attempt = named(
  "LeakAttempt",
  Type.Object({
    device_id: Nullable({ ...Id, description: "null: an unknown device" }),
    name: Type.String({ description: "Name of the device, or address of the sender" }),
    kind: OneOf(["blocked", "dropped", "foreign-resolver", "encrypted-dns", "stun", "ipv6", "forged-sender"], {
      description:
        "blocked: its hops are down, and its packets were dropped. dropped: the packets would have left by a foreign egress. forged-sender: the source address does not belong to the interface. The others: the packets used what a control forbids, or queried a foreign resolver",
    }),
    packets: Type.Integer(),
    last_at: Timestamp,
  }),
);
export type LeakAttempt = Static<typeof Attempt>;

const LeakMonitor = named(
  "LeakMonitor",
  Type.Object({
    ...monitor,
    counting_since: Nullable({ ...Timestamp, description: "null: the dataplane is off" }),
    attempts: Type.Array(Attempt, { description: "Newest first" }),
    last_check: Nullable(LeakCheck),
  }),
);
export type LeakMonitor = Static<typeof LeakMonitor>;

export const privacy = {
  status: endpoint({
    method: "GET",
    path: "/privacy/status",
    role: "viewer",
    summary: "Protection of each device, and its reason",
    description:
      "For each device: its posture, its effective controls and the level that sets them, its attempts, and the verdict of the last leak check. device_id selects one device, verdict the devices with this verdict; the counts always cover all devices.",
    query: closed(optionals({ device_id: ReferenceOrName("device"), verdict: Verdict })),
    result: PrivacyStatus,
    errors: ["not_found"],
    cli: { words: ["privacy"] },
  }),
  getDnsMode: endpoint({
    method: "GET",
    path: "/privacy/dns-mode",
    role: "viewer",
    summary: "Default DNS mode of devices without a class",
    result: DnsModeSetting,
    errors: [],
    cli: { words: ["privacy", "dns-mode"] },
  }),
  putDnsMode: endpoint({
    method: "PUT",
    path: "/privacy/dns-mode",
    role: "operator",
    summary: "Set the default DNS mode of devices without a class, immediately",
    body: named("DnsModeUpdate", closed({ mode: DnsMode })),
    result: DnsModeChanged,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "dns_mode" },
    cli: { words: ["privacy", "set-dns-mode"], args: ["mode"] },
  }),
  forceDns: switching(
    "/privacy/force-dns",
    "Redirect queries on port 53 to the gateway's resolver, or stop the redirection",
  ),
  blockDoh: switching("/privacy/block-doh", "Refuse encrypted DNS to outside resolvers, or allow it"),
  blockIpv6: switching("/privacy/block-ipv6", "Block outgoing IPv6, or allow it"),
  blockWebrtc: switching("/privacy/block-webrtc", "Refuse STUN, which reveals the real address to a page, or allow it"),
  leakMonitor: endpoint({
    method: "GET",
    path: "/privacy/leak-monitor",
    role: "either",
    summary: "Settings of the leak monitor, attempts of devices, and the last check",
    result: LeakMonitor,
    errors: [],
    cli: { words: ["privacy", "monitor"] },
  }),
  putLeakMonitor: endpoint({
    method: "PUT",
    path: "/privacy/leak-monitor",
    role: "operator",
    summary: "Change the settings of the leak monitor",
    description: "Fields that are not given keep their value.",
    body: named("LeakMonitorUpdate", closed(optionals(monitor))),
    result: LeakMonitor,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "leak_monitor" },
    cli: { words: ["privacy", "configure-monitor"] },
  }),
  leakCheck: endpoint({
    method: "POST",
    path: "/privacy/leak-check",
    role: "diagnostics",
    summary: "Run a leak check now, for one device or all",
    body: named("LeakCheckRequest", closed(optionals({ device_id: ReferenceOrName("device") }))),
    bodyOptional: true,
    result: LeakCheck,
    errors: ["not_found", "conflict"],
    audit: { verb: "run", noun: "leak_check" },
    cli: { words: ["leak-check"], args: ["device_id"] },
  }),
};
