export const byChoice = "By a policy, by an exception, or because no policy routes them through a tunnel.";
/** How many devices use the direct connection. */
export const goDirect = (exposed: number, all: number) =>
  `${exposed} of ${devices(all)} ${exposed === 1 ? "uses" : "use"} the direct connection, without a VPN.`;
const devices = (count: number) => (count === 1 ? "1 device" : `${count} devices`);

interface Summary {
  readonly kind: "no devices" | "leaking" | "never checked" | "not all checked" | "at risk" | "some direct" | "no-leak";
  readonly leaking?: number;
  readonly exposed?: number;
  readonly all?: number;
}

/** Cause of a finding, as a heading above the gateway's message. */
const causes: Readonly<Record<string, string>> = {
  "exposed-by-policy": "Direct by a policy",
  "exposed-by-exception": "Direct by an exception",
  "exposed-by-pause": "Direct because protection is paused",
  "direct-fallback": "Its tunnel is down, and its policy allows the direct connection",
  "foreign-rule": "A rule of another program takes precedence",
  "wrong-route": "A route bypasses the tunnel",
  "guard-missing": "The guard is missing in the kernel",
  "steering-changed": "The steering rules were changed",
  "foreign-translation": "Another program translates addresses",
  "stale-connection": "An old connection still uses its previous path",
  "ipv6-beside-tunnel": "IPv6 bypasses the tunnel",
  "foreign-resolver": "The device uses a foreign DNS resolver",
  "dns-in-the-clear": "DNS queries leave unencrypted",
  "tunnel-egress-is-uplink": "The tunnel's exit address is the uplink's own",
  "kernel-settings": "A kernel setting was changed",
  "seen-outside": "A packet of the device was seen outside",
};

export const privacy = {
  subtitle: "Leak checks and privacy settings",
  checkAll: "Check for leaks now",
  toPrivacy: "View result",

  summary: "Summary",
  summaries: ({ kind, leaking = 0, exposed = 0, all = 0 }: Summary) =>
    ({
      "no devices": {
        title: "No known devices yet.",
        detail: "Add your devices on the page Devices.",
      },
      leaking: {
        title: leaking === 1 ? "1 device is leaking." : `${leaking} devices are leaking.`,
        detail: "Traffic leaves outside its configured path. See the findings below.",
      },
      "never checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Every device uses a VPN or is blocked.",
        detail: "As configured. No leak check has verified it yet.",
      },
      "not all checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Every device uses a VPN or is blocked.",
        detail: "As configured. The last leak check did not cover all devices.",
      },
      "at risk": {
        title: "No leaks, but a risk.",
        detail:
          "A protection layer was changed, a device uses a foreign DNS resolver, or a check could not run. See the findings below.",
      },
      "some direct": {
        title: `No leaks; ${goDirect(exposed, all)}`,
        detail: byChoice,
      },
      "no-leak": {
        title: "No leaks.",
        detail: "Every device uses a VPN or is blocked, and the last leak check found no bypass.",
      },
    })[kind],

  system: {
    title: "Default settings",
    /** Number of devices that use the defaults. */
    appliesTo: (some: number, all: number) =>
      all === 0
        ? "For devices without a privacy class and without settings of their own."
        : `For devices without a privacy class and without settings of their own: ${some} of ${all} now.`,
    hints: {
      force_dns: "The gateway answers every query on port 53, whatever its destination.",
      block_doh: "Known DoH and DoT resolvers are blocked, so that apps cannot bypass the filters.",
      block_ipv6: "No IPv6 traffic; web pages are reached over IPv4.",
      block_webrtc: "Web pages cannot find out the real address. Calls in the browser may be relayed.",
    },
    ruled: {
      system: "On: the gateway answers all queries.",
      off: "Inactive: queries are not handled.",
    },
    dnsHints: {
      system: "Every query on port 53 is answered by the gateway, whatever its destination.",
      device: "A device may use any resolver, unless its DNS is redirected to the gateway.",
      off: "Queries to other resolvers are forwarded, even if DNS is redirected to the gateway.",
    },
    classesElsewhere: "Privacy classes",
  },
  switched: (what: string, on: boolean, whom: string | null) =>
    `${what}: ${on ? "on" : "off"}${whom === null ? "" : ` for ${whom}`}`,
  switchedBack: (what: string, whom: string) => `${what}: ${whom} uses the inherited setting`,
  unenforced: (done: string) => `${done}; not in the kernel yet`,
  dnsModeSet: "DNS server changed",

  table: {
    title: "Devices",
    label: "Devices and their protection",
    find: "Search devices",
    findExample: "Name or reason",
    posture: "State",
    any: "All",
    none: "No known devices yet.",
    noMatch: "No device matches.",
    showAll: "Show all",
    device: "Device",
    reason: "Reason",
    controls: "Controls",
    tried: "Attempts",
    verdict: "Last check",
    noControls: "None",
  },
  sources: { device: "Own setting", class: (name: string) => `Class ${name}`, system: "Default" },
  /** Shown where a device's own setting is off. */
  allowed: {
    force_dns: "any resolver",
    block_doh: "DoH and DoT allowed",
    block_ipv6: "IPv6 allowed",
    block_webrtc: "STUN allowed",
  },

  verdicts: {
    "no-leak": "No leak",
    leaking: "Leaking",
    "at-risk": "At risk",
    direct: "Direct",
    unchecked: "Not checked",
  },
  severities: { leak: "Leak", risk: "Risk", intended: "As configured" },
  causes,
  check: {
    title: "Last leak check",
    none: "No leak check has run yet. It sends probes in the name of each device that try to bypass the tunnels.",
    sentences: {
      "no-leak": (tried: number) => `${devices(tried)} checked: no leaks.`,
      "at-risk": (tried: number) => `${devices(tried)} checked: no leaks, but a risk.`,
      leaking: (tried: number) => `${devices(tried)} checked: traffic leaves outside its configured path.`,
    },
    noDevices:
      "No device is known yet, so no packet was sent in the name of one. The rules in the kernel are those that were compiled.",
    because: { request: "started by a user", "tunnel-change": "a tunnel changed" },
    discarded: "Tunnels or rules changed during the check, so it has no result. Run it again.",
    progress: (checked: number, of: number) => `${checked} of ${devices(of)} checked`,
    unchecked: (count: number) => `${devices(count)} not checked.`,
    direct: (count: number) =>
      count === 1 ? "1 device is direct, as configured." : `${count} devices are direct, as configured.`,
    gateway: "Gateway",
    more: (count: number) => `and ${devices(count)} more`,
    moreOf: (count: number) => `and ${count} more of this kind`,
    each: "Details for each device are on its page.",
    evidence: (count: number) => (count === 1 ? "1 result" : `${count} results`),
    tried: (count: number) => (count === 1 ? "1 check" : `${count} checks`),
    what: "Check",
    expected: "Expected",
    found: "Found",
    asExpected: "As expected",
    done: {
      "no-leak": "Leak check: no leaks",
      "at-risk": "Leak check: no leaks, but a risk",
      leaking: "Leak check: leak found",
    },
    doneDiscarded: "Tunnels or rules changed during the check; it has no result",
  },

  attempts: {
    title: "Blocked attempts",
    text: "Packets that the gateway blocked. Queries to foreign resolvers are only blocked where DNS is redirected to the gateway.",
    since: "Counted since",
    off: "No counters: the dataplane is switched off.",
    none: "No attempts.",
    device: "Device",
    kind: "Attempt",
    packets: "Packets",
    last: "Last",
    kinds: {
      blocked: "Traffic while its hops are down",
      dropped: "Traffic outside its configured path",
      "foreign-resolver": "DNS query to a foreign resolver",
      "encrypted-dns": "Encrypted DNS to a foreign resolver",
      stun: "STUN request (reveals the real address)",
      ipv6: "IPv6 traffic",
      "forged-sender": "Forged source address",
    },
  },

  monitor: {
    edit: "Configure monitor",
    title: "Leak monitor",
    enabled: "Check after each tunnel change",
    enabledHint: "The gateway then runs a leak check by itself.",
    settle: "Delay (seconds)",
    settleHint: "Time for the tunnel to settle. 0 to 300.",
    outside: "External services. An empty field: not used.",
    url: "URL that returns the client address",
    urlHint: "Must respond with the address of the client; requested through each exit.",
    name: "Domain that returns the resolver address",
    nameHint: "Its answer must contain the address of the resolver that sent the query.",
    saved: "Leak monitor saved",
    state: (enabled: boolean): string => (enabled ? "Runs after each tunnel change" : "Runs on request only"),
  },

  own: {
    title: "Leaks",
    check: "Check this device",
    unchecked: "Not checked yet.",
    tried: "Blocked attempts",
    noAttempts: "No attempts.",
    packets: (count: number, written: string) => (count === 1 ? "1 packet" : `${written} packets`),
    sources: {
      device: "Own setting",
      class: (name: string) => `From class ${name}`,
      system: "Default for all devices",
    },
    reset: "Use class setting",
    resetSystem: "Use default",
    resetFor: (what: string) => `${what}: remove own setting`,
  },

  portal: {
    title: "Captive portal",
    check: "Check for a portal",
    text: "The gateway requests a test page itself, without any data of devices, to find out whether a captive portal blocks the internet.",
    states: {
      open: "No portal: the internet is reachable",
      captive: "A captive portal blocks the internet",
      offline: "No response",
    },
    through: (uplink: string) => `Checked through ${uplink}`,
    url: "Portal page",
    addresses: "Portal addresses",
    evidence: "Requests and responses",
    letThrough: "To sign in, open the portal for one device: on its page, under Exceptions.",
    action: "Open a captive portal",
    dialog: (name: string) => `Open a captive portal for ${name}`,
    explains: (name: string) =>
      `If there is a portal, only its addresses are opened for ${name}, without a VPN. Other traffic is not affected.`,
    minutes: "Duration",
    lasts: (count: number) => (count === 1 ? "1 minute" : `${count} minutes`),
    act: "Check and open",
    again: "Check again",
    nothingOpened: "Nothing was opened.",
    opened: (name: string) => `Open for ${name}:`,
    openIt: "Open this page on the device and sign in there.",
    end: "End now",
    ended: "Portal exception ended",
    endedAlready: "The portal exception has ended.",
  },
};
