import { byChoice, goDirect } from "./privacy.ts";

type Posture = "protected" | "blocked" | "exposed";

interface Verdict {
  readonly kind: string;
  /** As a time of day. */
  readonly since?: string;
  readonly policies?: readonly string[];
  readonly reason?: string;
  readonly exposed?: number;
  readonly all?: number;
  readonly leaking?: number;
  readonly devices?: number;
  readonly blocked?: number;
  readonly unknown?: Posture;
}

/** Shown while no device is known. */
const unknownDevicesText: Readonly<Record<Posture, string>> = {
  blocked: "Unknown devices are blocked: nothing on the LAN has internet access until a device is added.",
  protected: "Unknown devices use the VPN.",
  exposed: "Unknown devices use the direct connection, without a VPN.",
};

const isProtected = ({ devices = 0, blocked = 0, unknown = "blocked", policies = [] }: Verdict) =>
  [
    `${devices === 1 ? "1 device uses" : `${devices} devices use`} a VPN`,
    blocked > 0 && `, ${blocked} ${blocked === 1 ? "is" : "are"} blocked`,
    unknown === "blocked" ? "; unknown devices are blocked." : "; so would unknown devices.",
    policies.length > 0 && ` Direct by policy: ${policies.join(", ")}.`,
  ]
    .filter(Boolean)
    .join("");

export const home = {
  subtitle: "Is your network protected?",
  verdict: "Verdict",
  verdicts: (verdict: Verdict) => {
    const { kind, since = "", policies = [], reason = "", exposed = 0, all = 0, leaking = 0 } = verdict;
    return (
      {
        unreachable: {
          title: `Gateway not reachable since ${since}.`,
          detail: "The state of the devices is not known. The data below is old.",
        },
        "found leaking": {
          title: leaking === 1 ? "1 device is leaking." : `${leaking} devices are leaking.`,
          detail: "The last leak check saw traffic that a policy or a class forbids.",
        },
        "gateway leaking": {
          title: "The gateway is leaking.",
          detail: "The last leak check found a leak that belongs to no single device.",
        },
        protected: { title: "Protected.", detail: isProtected(verdict) },
        "filtering off": {
          title: "Protected, but DNS filtering is off.",
          detail: "Every known device uses a VPN or is blocked. Block lists, rules and rewrites do not apply.",
        },
        "at risk": {
          title: "Protected, but the last leak check found a risk.",
          detail: "Nothing leaks. See the page Privacy for the findings.",
        },
        "unknown direct": {
          title: "Protected, except unknown devices.",
          detail: "Every known device uses a VPN or is blocked. An unknown device would use the direct connection.",
        },
        "some direct": { title: goDirect(exposed, all), detail: byChoice },
        "no device": { title: "No known devices yet.", detail: unknownDevicesText[verdict.unknown ?? "blocked"] },
        "no internet": {
          title: "No device has internet access.",
          detail: `${all === 1 ? "The known device is" : `All ${all} known devices are`} blocked: by a policy, by quarantine, or because a tunnel is down.`,
        },
        "nothing yet": {
          title: "Nothing is protected yet.",
          detail: "No policy routes traffic through a tunnel.",
        },
        fallback: {
          title: `Direct, without VPN: ${policies.join(", ")}`,
          detail: "The tunnel is down, and the policy allows the direct connection then.",
        },
        "catching up": {
          title: "Not everything is applied yet.",
          detail: "The published configuration is still being written to the kernel.",
        },
        "not verified": {
          title: "Firewall rules are not verified.",
          detail:
            reason === ""
              ? "The kernel has not been compared with the published configuration yet."
              : `The last comparison with the kernel failed: ${reason}`,
        },
        "not enforced": {
          title: "Nothing is enforced.",
          detail:
            reason === ""
              ? "The dataplane is switched off in the gateway's configuration file."
              : "No device is protected. The notice above gives the reason.",
        },
      }[kind] ?? { title: kind, detail: "" }
    );
  },
  setUp: "Set up",
  lastCheck: (leaking: number, verdict: "no-leak" | "at-risk" | "leaking" | null) =>
    leaking === 0
      ? verdict === "leaking"
        ? "Last leak check: the gateway itself leaks,"
        : verdict === "at-risk"
          ? "Last leak check: no leaks, but a risk,"
          : "Last leak check: no leaks,"
      : leaking === 1
        ? "Last leak check: 1 device leaks,"
        : `Last leak check: ${leaking} devices leak,`,
  neverChecked: "No leak check has run yet.",
  verified: "Firewall rules verified",
  addDevice: "Add a device",
  seeBlocked: "View blocked devices",
  checkNow: "Check now",
  exits: "Exits",
  allPolicies: "All policies",
  noExits: "No policy is applied yet. Import a tunnel, then route devices through it.",
  notUsed: (policy: string, first: string) => `“${policy}” is not used: “${first}” matches first.`,
  moreNotUsed: (count: number) => (count === 1 ? "1 more policy is not used." : `${count} more policies are not used.`),
  importTunnel: "Import a tunnel",
  moreExits: (count: number) => `and ${count} more`,
  from: (policies: readonly string[]) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} and ${policies.length - 2} more` : policies.join(", "),
  attention: (count: number) => (count === 1 ? "1 item needs attention" : `${count} items need attention`),
  look: "View",
  review: "Review",
  identify: "Identify",
  newDevice: (name: string, mac: string | null) => `New device: ${name}${mac ? ` (${mac})` : ""}`,
  unknownDevices: (count: number) =>
    count === 1 ? "1 unknown device on the LAN" : `${count} unknown devices on the LAN`,
  staged: (count: number) =>
    count === 1 ? "1 change is staged and not active" : `${count} changes are staged and not active`,
  leaks: (name: string) => `${name} is leaking: it sends traffic that a policy or a class forbids`,
  moreLeak: (count: number) => (count === 1 ? "1 more device is leaking" : `${count} more devices are leaking`),
  fallsBack: (policy: string, down: string) => `${policy} uses the direct connection: ${down} is down`,
  blockNow: "Block it now",
  otherTunnel: "Use another tunnel",
  deviceBlocked: (name: string) => `${name} is quarantined`,
  policyStaged: (policy: string) => `${policy} is staged to block while its tunnel is down; apply the staged changes`,
  tunnelDown: (name: string, reason: string) => `Tunnel ${name} is down: ${reason}`,
  partFailed: (name: string, message: string) => `${name}: ${message}`,
  listFailed: (name: string, problem: string) => `List ${name} could not be updated: ${problem}`,
  more: "More",
  tunnelsConnected: (off: number) => (off === 0 ? "connected" : `connected; ${off} switched off`),
  ofAll: (some: number, all: number) => `${some} of ${all}`,
  tunnelSummary: (connected: number, wanted: number) =>
    wanted === 0 ? "None is switched on" : connected === wanted ? "All connected" : `${wanted - connected} down`,
  blockedShare: "of DNS queries were blocked in the last day",
  planeStates: { running: "Running", degraded: "Degraded", failed: "Not responding", off: "Off" },
  filteringOff: "Filtering is off",
  uplinks: "Uplink",
  noUplink: "None",
  uplinkStates: { used: "In use", unprobed: "In use, not probed", none: "No uplink is usable" },
  dnsHour: "DNS queries, last hour",
  queries: "Queries",
  blocked: "Blocked",
  noQueries: "No DNS queries yet.",
  traffic: "Internet traffic (live)",
  today: (received: string, sent: string) => `Today, all devices: ${received} received, ${sent} sent.`,
  received: "In",
  sent: "Out",
  measuring: "Collecting data…",
};
