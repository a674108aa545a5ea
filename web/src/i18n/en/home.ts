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
        "not read": {
          title: "The state is not known.",
          detail: "A part of it could not be read again: what is known of it is old.",
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
  counts: "Devices by state",
  noLeakFor: (time: string) => `No leak found for ${time}.`,
  tested: "Tested",
  result: (leaking: number, verdict: "no-leak" | "at-risk" | "leaking" | null, checks: number) => {
    const found =
      leaking > 0
        ? leaking === 1
          ? "1 device leaks."
          : `${leaking} devices leak.`
        : verdict === "leaking"
          ? "the gateway itself leaks."
          : verdict === "at-risk"
            ? "no leak, but a risk."
            : "no leak.";
    return checks > 1 ? `${found} ${checks} checks passed.` : found;
  },
  neverChecked: "No leak check has run yet.",
  verified: "Firewall rules verified",
  addDevice: "Add a device",
  seeBlocked: "View blocked devices",
  checkNow: "Test now",
  exits: "Exits",
  allPolicies: "All policies",
  noExits: "No policy is applied yet. Import a tunnel, then route devices through it.",
  nothingToRead: "Your role may not read the state of the network.",
  picture: {
    title: "Traffic now",
    unmeasured: "not measured",
    view: "View",
    views: { picture: "Picture", paths: "Paths", table: "Table" },
    columns: { device: "Device", exit: "Exit", rate: "Rate now", state: "State" },
    none: "None",
    noDevices: "No device is known yet. Devices on the LAN can be identified.",
    outside: "Outside the VPN",
    nothing: "No device",
    devices: (count: number) => (count === 1 ? "1 device" : `${count} devices`),
    idle: (count: number) => (count === 1 ? "1 idle device" : `${count} idle devices`),
    others: (count: number) => (count === 1 ? "1 other" : `${count} others`),
    blocked: (count: number) => (count === 1 ? "1 device is blocked" : `${count} devices are blocked`),
    down: "Down",
    sentence: (
      of: {
        readonly through: readonly (readonly [exit: string, devices: number])[];
        readonly blocked: number;
        readonly direct: number;
        readonly leaking: number;
      },
      list: (items: readonly string[]) => string,
    ) => {
      const devices = (count: number) => (count === 1 ? "1 device" : `${count} devices`);
      return [
        of.through.length > 0 &&
          `Through exits: ${list(of.through.map(([exit, count]) => `${exit} for ${devices(count)}`))}.`,
        of.blocked > 0 && `Blocked: ${devices(of.blocked)}.`,
        of.leaking > 0 && `Leaking: ${devices(of.leaking)}.`,
        of.direct > 0 ? `Direct, without a VPN: ${devices(of.direct)}.` : "No device uses a direct connection.",
      ]
        .filter(Boolean)
        .join(" ");
    },
  },
  talkers: {
    title: "Top talkers",
    today: (bytes: string) => `today, ${bytes}`,
    all: "All devices",
    none: "No traffic yet today.",
    others: (count: number) => (count === 1 ? "1 other" : `${count} others`),
  },
  tiles: {
    download: "Download",
    upload: "Upload",
    queries: "DNS queries",
    blocked: "Blocked queries",
    lastHour: "last hour",
    today: (bytes: string) => `${bytes} today`,
    inDay: (count: string) => `${count} in 24 h`,
    perMinute: (count: string) => `${count} per minute`,
    highest: (value: string) => `Highest value of the last hour: ${value}`,
  },
  notUsed: (policy: string, first: string) => `“${policy}” is not used: “${first}” matches first.`,
  moreNotUsed: (count: number) => (count === 1 ? "1 more policy is not used." : `${count} more policies are not used.`),
  importTunnel: "Import a tunnel",
  moreExits: (count: number) => `and ${count} more`,
  from: (policies: readonly string[]) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} and ${policies.length - 2} more` : policies.join(", "),
  attention: (count: number) =>
    count === 0 ? "Nothing needs attention" : count === 1 ? "1 item needs attention" : `${count} items need attention`,
  attentionTitle: "Attention",
  nothingWaits: "No leak, failure, unknown device or pending change.",
  moreMatters: (count: number) => `${count} more`,
  look: "View",
  review: "Review",
  identify: "Identify",
  newDevice: (name: string) => `New device: ${name}`,
  unknownDevices: (count: number) => (count === 1 ? "1 unknown device" : `${count} unknown devices`),
  staged: (count: number) => (count === 1 ? "1 pending change" : `${count} pending changes`),
  stagedDetail: "Not active yet.",
  leaks: (name: string) => `${name} is leaking`,
  leaksDetail: "It sends traffic that a policy or a class forbids.",
  moreLeak: (count: number) => (count === 1 ? "1 more device is leaking" : `${count} more devices are leaking`),
  fallsBack: (policy: string) => `${policy} uses the direct connection`,
  fallsBackDetail: (down: string) => `${down} is down, and the policy allows it then.`,
  blockNow: "Block it now",
  deviceBlocked: (name: string) => `${name} is quarantined`,
  policyStaged: (policy: string) => `${policy} is staged to block while its tunnel is down; apply the staged changes`,
  tunnelDown: (name: string) => `Tunnel ${name} is down`,
  partFailed: (name: string) => `${name} failed`,
  listFailed: (name: string) => `List ${name} could not be updated`,
};
