import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, ReferenceOrName, Timestamp } from "../values.ts";
import { DnsMode, privacyControls } from "./classes.ts";

const defaults = { dns_mode: DnsMode, ...privacyControls };
const PrivacyDefaults = Type.Object(defaults);
/** What holds for a device that has neither a switch of its own nor a class. */
export type PrivacyDefaults = Readonly<Static<typeof PrivacyDefaults>>;
/** What is published of it: what somebody has said. */
export type PublishedPrivacy = Partial<PrivacyDefaults> & { readonly id: string };

const ControlName = OneOf(["force_dns", "block_doh", "block_ipv6", "block_webrtc"]);
const Enforced = Type.Boolean({
  description: "Whether the kernel has it; false while the dataplane is off or an engine failed",
});

const Held = Type.Object({
  on: Type.Boolean(),
  from: OneOf(["device", "class", "system"], { description: "Who said so: the nearest voice decides" }),
});

const Posture = OneOf(["protected", "blocked", "exposed"], {
  description: "Leaves by a hop; does not leave; leaves by the uplink in the clear",
});

const verdicts = ["no-leak", "direct", "at-risk", "leaking"] as const;
const verdictWords =
  "direct: it leaves in the clear, or some of it does, because somebody said so, and nothing else was found";
const Verdict = OneOf([...verdicts, "unchecked"], {
  description: `What the last leak check said of it. ${verdictWords}`,
});

const Worst = OneOf(["no-leak", "at-risk", "leaking"], {
  description: "Of the worst; what is direct by choice is tight",
});

const PrivacyOfDevice = named(
  "PrivacyOfDevice",
  Type.Object({
    device_id: Id,
    name: Type.String(),
    posture: Posture,
    reason: Type.String({ description: "Why, in a sentence" }),
    policy_id: Nullable({ ...Id, description: "The policy that decides; null: none, or an exception" }),
    exception_id: Nullable(Id),
    privacy_class: Nullable({ ...Id, description: "The class that holds: its own, or the one its trust class brings" }),
    controls: Type.Object({ force_dns: Held, block_doh: Held, block_ipv6: Held, block_webrtc: Held }),
    attempts: Type.Integer({
      description:
        "Packets of what it tried since the daemon began to count: stopped at the gate, or questions to somebody else's resolver",
    }),
    verdict: Verdict,
  }),
);

const PrivacyStatus = named(
  "PrivacyStatus",
  Type.Object({
    ...defaults,
    not_enforced: Nullable(
      Type.String({ description: "Why nothing is enforced although the dataplane is on; null: it is, or it is off" }),
    ),
    protected: Type.Integer({ description: "Devices that leave by hops, of all there are" }),
    blocked: Type.Integer({ description: "Devices of which nothing leaves" }),
    exposed: Type.Integer({ description: "Devices that leave by the uplink in the clear" }),
    last_check: Nullable({ ...Timestamp, description: "When the last leak check ended; null: there was none" }),
    last_verdict: Nullable({
      ...Worst,
      description: "What it said of everybody whom it looked at, and of the gateway",
    }),
    leaking: Type.Integer({ description: "Devices that the last leak check found leaking" }),
    devices: Type.Array(PrivacyOfDevice, { description: "In the order of their ids" }),
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
            "Left out: the opposite of what holds now. null: the device has no switch of its own any more, so that its class decides, or what holds for everybody",
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
    enabled: Nullable(Type.Boolean({ description: "What was said; null: nothing, so that the next voice decides" })),
    on: Type.Boolean({ description: "What holds" }),
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
      "For one device, for a privacy class, or for everybody who has neither; the nearest voice decides. It holds when the answer comes. Without a body it is switched over for everybody.",
    body: ControlChange,
    bodyOptional: true,
    result: ControlState,
    errors: ["conflict", "change_pending"],
    audit: { verb: "switch", noun: path.slice("/privacy/".length).replace("-", "_") },
    cli: { words: ["privacy", path.slice("/privacy/".length)] },
  });

/** What is looked for, in words that do not change: alerts and tests name them. */
export const leakCauses = [
  "exposed-by-policy",
  "exposed-by-exception",
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
    what: Type.String({ description: "What was done or looked at, as a command or a sentence" }),
    expected: Type.String(),
    found: Type.String(),
  }),
);

const LeakFinding = named(
  "LeakFinding",
  Type.Object({
    cause: OneOf(leakCauses),
    severity: OneOf(["leak", "risk", "intended"], {
      description:
        "It leaves in the clear; it does not, but something is not as it should be; or it does, as somebody said it should",
    }),
    message: Type.String(),
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
      description: "What was tried and came out as it should, and what could not be tried",
    }),
    checked_at: { ...Timestamp, description: "Of the last check that looked at it" },
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
      description: "Devices beyond those that fit into one check; others have their turn next time",
    }),
    gateway: Type.Array(LeakFinding, { description: "What concerns no single device" }),
    discarded: Type.Boolean({ description: "Tunnels or rules changed meanwhile, so that it says nothing" }),
  }),
);
export type LeakCheck = Static<typeof LeakCheck>;

const monitor = {
  enabled: Type.Boolean({ description: "Whether it attacks by itself after each tunnel change" }),
  delay_sec: Type.Integer({ minimum: 0, maximum: 300, description: "How long after the change" }),
  address_echo_url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}@#]+$",
      description: "A page that answers with the address it was asked from; null: nobody is asked",
    }),
  ),
  resolver_echo_name: Nullable(
    Type.String({
      maxLength: 253,
      description: "A name whose answer (A, AAAA or TXT) tells which resolver asked for it; null: nobody is asked",
    }),
  ),
};
const LeakMonitorSettings = Type.Object(monitor);
export type LeakMonitorSettings = Readonly<Static<typeof LeakMonitorSettings>>;
export type PublishedLeakMonitor = Partial<LeakMonitorSettings> & { readonly id: string };

const Attempt = named(
  "LeakAttempt",
  Type.Object({
    device_id: Nullable({ ...Id, description: "null: nobody whom the gateway knows" }),
    name: Type.String({ description: "The device's, or the sender's address" }),
    kind: OneOf(["blocked", "dropped", "foreign-resolver", "encrypted-dns", "stun", "ipv6", "forged-sender"], {
      description:
        "blocked: its hops are down, and nothing of it left. dropped: it would have left another way than its own. forged-sender: with an address that does not live where it is. The others: it tried what is switched off for it, or asked somebody else for names",
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
    attempts: Type.Array(Attempt, { description: "The latest first" }),
    last_check: Nullable(LeakCheck),
  }),
);
export type LeakMonitor = Static<typeof LeakMonitor>;

export const privacy = {
  status: endpoint({
    method: "GET",
    path: "/privacy/status",
    role: "viewer",
    summary: "How each device is protected, and why",
    description:
      "Of each device where its packets go now, what is switched on for it and by whom, what it tried, and what was found. With device_id of one of them, with verdict of those of whom the last leak check said so; the counts are of all.",
    query: closed(optionals({ device_id: ReferenceOrName("device"), verdict: Verdict })),
    result: PrivacyStatus,
    errors: ["not_found"],
    cli: { words: ["privacy"] },
  }),
  getDnsMode: endpoint({
    method: "GET",
    path: "/privacy/dns-mode",
    role: "viewer",
    summary: "Who decides which resolver answers devices without a class",
    result: DnsModeSetting,
    errors: [],
    cli: { words: ["privacy", "dns-mode"] },
  }),
  putDnsMode: endpoint({
    method: "PUT",
    path: "/privacy/dns-mode",
    role: "operator",
    summary: "Say who decides which resolver answers devices without a class; at once",
    body: named("DnsModeUpdate", closed({ mode: DnsMode })),
    result: DnsModeChanged,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "dns_mode" },
    cli: { words: ["privacy", "set-dns-mode"], args: ["mode"] },
  }),
  forceDns: switching("/privacy/force-dns", "Lead questions on port 53 to the gateway's resolver, or stop doing so"),
  blockDoh: switching("/privacy/block-doh", "Refuse encrypted DNS to outside resolvers, or allow it"),
  blockIpv6: switching("/privacy/block-ipv6", "Let no IPv6 out, or let it"),
  blockWebrtc: switching("/privacy/block-webrtc", "Refuse STUN, which tells a page the real address, or allow it"),
  leakMonitor: endpoint({
    method: "GET",
    path: "/privacy/leak-monitor",
    role: "either",
    summary: "How the leak monitor is set up, what devices tried, and what it found last",
    result: LeakMonitor,
    errors: [],
    cli: { words: ["privacy", "monitor"] },
  }),
  putLeakMonitor: endpoint({
    method: "PUT",
    path: "/privacy/leak-monitor",
    role: "operator",
    summary: "Set up the leak monitor",
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
    summary: "Attack now, for one device or all, and show what came of it",
    body: named("LeakCheckRequest", closed(optionals({ device_id: ReferenceOrName("device") }))),
    bodyOptional: true,
    result: LeakCheck,
    errors: ["not_found", "conflict"],
    audit: { verb: "run", noun: "leak_check" },
    cli: { words: ["leak-check"], args: ["device_id"] },
  }),
};
