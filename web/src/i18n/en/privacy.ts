export const byChoice = "By a policy, by an exception, or because no policy routes them through a tunnel.";
/** Who leaves in the clear, and whose wish it is. */
export const goDirect = (exposed: number, all: number) =>
  `${exposed} of ${devices(all)} ${exposed === 1 ? "uses" : "use"} the direct connection, without a VPN.`;
const devices = (count: number) => (count === 1 ? "1 device" : `${count} devices`);

interface Summary {
  readonly kind: "no devices" | "leaking" | "never checked" | "not all checked" | "at risk" | "some direct" | "no-leak";
  readonly leaking?: number;
  readonly exposed?: number;
  readonly all?: number;
}

/** What was looked for, as a heading. The gateway's own sentence stands below it. */
const causes: Readonly<Record<string, string>> = {
  "exposed-by-policy": "A policy lets it go direct",
  "exposed-by-exception": "An exception lets it go direct",
  "direct-fallback": "Its tunnel is down, and its policy allows the direct connection",
  "foreign-rule": "Another program's rule comes before ours",
  "wrong-route": "A route leads past the tunnel",
  "guard-missing": "The guard is not in the kernel",
  "steering-changed": "What steers its packets was changed",
  "foreign-translation": "Another program rewrites addresses",
  "stale-connection": "An old connection still goes the old way",
  "ipv6-beside-tunnel": "IPv6 goes beside the tunnel",
  "foreign-resolver": "It asks a foreign resolver for names",
  "dns-in-the-clear": "Questions for names leave in the clear",
  "tunnel-egress-is-uplink": "The tunnel ends at this house's own address",
  "kernel-settings": "A setting of the kernel was changed",
  "seen-outside": "A packet of it was seen outside",
};

export const privacy = {
  subtitle: "What gets out, and what is kept in?",
  checkAll: "Check for leaks now",
  toPrivacy: "What was tried",

  summary: "In one look",
  summaries: ({ kind, leaking = 0, exposed = 0, all = 0 }: Summary) =>
    ({
      "no devices": {
        title: "No device is known yet.",
        detail: "Add the devices of your network on the page Devices.",
      },
      leaking: {
        title: leaking === 1 ? "1 device leaks." : `${leaking} devices leak.`,
        detail: "Something leaves another way than it should. What was found stands below.",
      },
      "never checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Everybody is looked after.",
        detail: "So it is meant. No leak check has tried yet whether it holds.",
      },
      "not all checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Everybody is looked after.",
        detail: "So it is meant. The last leak check did not look at everybody.",
      },
      "at risk": {
        title: "Nothing leaks, but something is not as it should be.",
        detail:
          "A layer that protects devices was changed, a device asks a foreign resolver, or not everything could be tried. What was found stands below.",
      },
      "some direct": {
        title: `Nothing leaks; ${goDirect(exposed, all)}`,
        detail: byChoice,
      },
      "no-leak": {
        title: "Nothing leaks.",
        detail: "Every device goes through a hop or is blocked, and the last check found no way around.",
      },
    })[kind],

  system: {
    title: "For everybody else",
    /** How many have neither. */
    holdsFor: (some: number, all: number) =>
      all === 0
        ? "Holds for devices with neither a privacy class nor a switch of their own."
        : `Holds for devices with neither a privacy class nor a switch of their own: ${some} of ${all} now.`,
    hints: {
      force_dns: "Whatever resolver a device asks on port 53, the gateway answers.",
      block_doh: "Known resolvers for encrypted DNS are refused, so that no app goes around the filters.",
      block_ipv6: "Nothing leaves by IPv6; pages are reached by IPv4.",
      block_webrtc: "Web pages cannot ask for the real address. Calls in the browser may take a detour.",
    },
    ruled: {
      system: "On: the gateway answers every question anyway.",
      off: "Rests: questions for names are left alone.",
    },
    dnsHints: {
      system: "Every question on port 53 is answered here, whomever it was meant for.",
      device: "A device may ask any resolver, unless its questions are sent to the gateway.",
      off: "The gateway leaves questions to other resolvers alone, also where they are sent to the gateway.",
    },
    classesElsewhere: "Privacy classes",
  },
  switched: (what: string, on: boolean, whom: string | null) =>
    `${what}: ${on ? "on" : "off"}${whom === null ? "" : ` for ${whom}`}`,
  switchedBack: (what: string, whom: string) => `${what}: ${whom} has no switch of its own any more`,
  unenforced: (done: string) => `${done}; the kernel does not have it yet`,
  dnsModeSet: "Who answers for names is changed",

  table: {
    title: "Devices",
    label: "Devices and how they are protected",
    find: "Find",
    findExample: "Name or reason",
    posture: "State",
    any: "All",
    none: "No device is known yet.",
    noMatch: "No device fits.",
    showAll: "Show all",
    device: "Device",
    reason: "Why",
    controls: "Controls",
    tried: "Attempts",
    verdict: "Last check",
    noControls: "None is on",
  },
  sources: { device: "Its own", class: (name: string) => `Class ${name}`, system: "Everybody" },
  /** Said where a switch of its own is off. */
  allowed: {
    force_dns: "any resolver",
    block_doh: "encrypted DNS allowed",
    block_ipv6: "IPv6 allowed",
    block_webrtc: "STUN allowed",
  },

  verdicts: {
    "no-leak": "No leak",
    leaking: "Leaking",
    "at-risk": "At risk",
    direct: "Goes direct",
    unchecked: "Not checked",
  },
  severities: { leak: "Leaks now", risk: "At risk", intended: "By choice" },
  causes,
  check: {
    title: "Last leak check",
    none: "None has run yet. It tries to get out past the tunnels as each device would, and shows what came of it.",
    sentences: {
      "no-leak": (tried: number) => `${devices(tried)} tried: nothing left another way than its own.`,
      "at-risk": (tried: number) => `${devices(tried)} tried: nothing leaks, but something is not as it should be.`,
      leaking: (tried: number) => `${devices(tried)} tried: something leaves another way than its own.`,
    },
    because: { request: "somebody asked for it", "tunnel-change": "a tunnel had changed" },
    discarded: "Tunnels or rules changed while it ran, so it says nothing. Run it again.",
    direct: (count: number) =>
      count === 1 ? "1 device goes direct, by choice." : `${count} devices go direct, by choice.`,
    gateway: "The gateway itself",
    more: (count: number) => `and ${devices(count)} more`,
    moreOf: (count: number) => `and ${count} more of this kind`,
    each: "What was tried for a device stands on the device's page.",
    evidence: (count: number) => (count === 1 ? "1 piece of evidence" : `${count} pieces of evidence`),
    tried: (count: number) => (count === 1 ? "1 thing was looked at" : `${count} things were looked at`),
    what: "Looked at",
    expected: "Expected",
    found: "Found",
    asExpected: "As expected",
    done: {
      "no-leak": "Checked: nothing leaks",
      "at-risk": "Checked: nothing leaks, but something is not as it should be",
      leaking: "Checked: there is a leak",
    },
    doneDiscarded: "Tunnels or rules changed meanwhile; the check says nothing",
  },

  attempts: {
    title: "What devices tried",
    text: "It was stopped at the gate. Only questions to foreign resolvers pass, where they are not sent to the gateway.",
    since: "Counted since",
    off: "Nothing is counted: the dataplane is switched off.",
    none: "Nobody has tried anything.",
    device: "Device",
    kind: "What it tried",
    packets: "Packets",
    last: "Last",
    kinds: {
      blocked: "To leave while its hops are down",
      dropped: "To leave another way than its own",
      "foreign-resolver": "To ask a foreign resolver for names",
      "encrypted-dns": "Encrypted DNS with an outsider",
      stun: "To learn its real address (STUN)",
      ipv6: "To leave by IPv6",
      "forged-sender": "To send with somebody else's address",
    },
  },

  monitor: {
    edit: "Set up the monitor",
    title: "Leak monitor",
    enabled: "Check after each tunnel change",
    enabledHint: "The gateway then tries by itself to get out past the tunnels.",
    settle: "Seconds after the change",
    settleHint: "So that the tunnel has come to rest. 0 to 300.",
    outside: "Witnesses outside. While a field is empty, nobody is asked.",
    url: "Page that tells one's address",
    urlHint: "It answers with the address it was asked from; each way out is asked through.",
    name: "Name that tells one's resolver",
    nameHint: "Its answer says which resolver asked for it.",
    saved: "The leak monitor is set up",
    state: (enabled: boolean): string => (enabled ? "Checks after each tunnel change" : "Checks only when asked"),
  },

  own: {
    title: "Leaks",
    check: "Check this device",
    unchecked: "It was not checked yet.",
    tried: "What it tried",
    noAttempts: "It has tried nothing of this kind.",
    packets: (count: number, written: string) => (count === 1 ? "1 packet" : `${written} packets`),
    sources: {
      device: "Its own switch",
      class: (name: string) => `From class ${name}`,
      system: "Holds for everybody",
    },
    reset: "As its class says",
    resetSystem: "As for everybody",
    resetFor: (what: string) => `${what}: take back its own switch`,
  },

  portal: {
    title: "Sign-in page of a hotel or train",
    check: "Look for a portal",
    text: "The gateway asks by itself, with nothing of any device, whether somebody stands between the uplink and the internet.",
    states: {
      open: "No portal: the internet answers",
      captive: "A portal stands in the way",
      offline: "Nobody answers",
    },
    through: (uplink: string) => `Asked through ${uplink}`,
    url: "Page of the portal",
    addresses: "Addresses of the portal",
    evidence: "What was asked and what came",
    letThrough: "To get past it, let one device sign in: on its page, under Exceptions.",
    action: "Get it past a portal",
    dialog: (name: string) => `Get ${name} past a portal`,
    explains: (name: string) =>
      `If there is a portal, its addresses, and nothing else, are opened to ${name} in the clear. Everything else stays as it is.`,
    minutes: "For how long",
    lasts: (count: number) => (count === 1 ? "1 minute" : `${count} minutes`),
    act: "Look and let it through",
    again: "Look again",
    nothingOpened: "Nothing was opened.",
    opened: (name: string) => `Open to ${name}:`,
    openIt: "Open this page on the device and sign in there.",
    end: "End it now",
    ended: "The portal exception has ended",
    endedAlready: "The portal exception has ended.",
  },
};
