import { lists, rules, scope, services } from "./dns-filters.ts";
import { cache, resolvers, zones } from "./dns-resolving.ts";

type Verdict = "none" | "allow" | "block" | "rewrite" | "cname" | "rebind";

const answers: Readonly<Record<"none" | "allow" | "block" | "rewrite", (by: string, value: string) => string>> = {
  none: () => "No, no rule matches.",
  allow: (by) => `No, allowed by ${by}.`,
  block: (by) => `Yes, blocked by ${by}.`,
  rewrite: (by, value) => (value ? `Answered with ${value} by ${by}.` : `Answered as nonexistent by ${by}.`),
};

const causes: Readonly<Record<string, (name: string) => string>> = {
  dns_list: (name) => `list ${name}`,
  dns_filter_rule: (name) => `rule ${name}`,
  dns_allow_entry: (name) => `allowed domain ${name}`,
  dns_block_entry: (name) => `blocked domain ${name}`,
  dns_rewrite: (name) => `rewrite ${name}`,
};

export const dns = {
  subtitle: "DNS queries and filtering",
  tabsLabel: "DNS pages",
  tabs: {
    overview: "Overview",
    log: "Log",
    test: "Test",
    rules: "Rules",
    services: "Services",
    lists: "Lists",
    zones: "Zones",
    resolvers: "Resolvers",
    cache: "Cache",
  },
  verdicts: {
    none: "Passed",
    allow: "Allowed",
    block: "Blocked",
    rewrite: "Rewritten",
    cname: "Alias blocked",
    rebind: "Rebinding",
  } satisfies Record<Verdict, string>,
  verdictMeanings: {
    none: "No rule matches this domain, so it was answered.",
    allow: "An entry allows this domain.",
    block: "This domain is blocked.",
    rewrite: "The gateway answers this domain with a rewrite.",
    cname: "This domain is an alias of a blocked one.",
    rebind: "The answer was a private address, so it was refused.",
  } satisfies Record<Verdict, string>,
  planes: { running: "Running", degraded: "Degraded", failed: "Not responding", off: "Off" },
  answeredBy: { cache: "Cache", gateway: "Gateway", resolver: "Resolver" },
  causes,
  overview: {
    status: "Status",
    sentence: (status: "running" | "degraded" | "failed" | "off", reason: string) =>
      status === "running" ? "DNS works on every exit." : `${capital(reason) || "The reason is not known"}.`,
    noEgress: "Blocked devices",
    answering: (count: number) => (count === 1 ? "1 upstream responds" : `${count} upstreams respond`),
    listens: (address: string) => `The resolver listens on ${address}.`,
    filtering: (on: boolean, backend: "integrated" | "extfilter"): string =>
      backend === "extfilter"
        ? "An external filter decides what is blocked."
        : on
          ? "Filtering is on."
          : "Filtering is off: nothing is blocked.",
    dnssec: (on: boolean): string => (on ? "DNSSEC is on." : "DNSSEC is off."),
    datesIgnored: "DNSSEC ignores expiry dates until the system clock is trusted.",
    dropped: (count: string) => `${count} queries arrived too fast to be logged.`,
    overTime: "DNS queries, last 24 hours",
    queries: "Queries",
    blocked: "Blocked",
    blockedShare: "blocked",
    cachedShare: "answered from the cache",
    logRows: (max: string) => `log entries of at most ${max}`,
    noQueries: "No DNS queries yet. Devices must use the gateway as their DNS server.",
    nothingBlocked: "Nothing blocked yet.",
    toLog: "Open log",
    topDomains: "Top domains",
    topBlocked: "Top blocked domains",
    topClients: "Top clients",
    ofRows: (rows: string) => `From the newest ${rows} log entries`,
    ofBlocked: (count: string) => `${count} blocked`,
  },
  log: {
    title: "Query log",
    filters: "Filter the log",
    name: "Domain",
    nameExample: "Part of a domain, or .example.org",
    client: "Device or address",
    anyClient: "Any client",
    verdict: "Verdict",
    any: "Any",
    type: "Type",
    time: "Time",
    device: "Device",
    address: "Address",
    cause: "Cause",
    answeredBy: "Answered by",
    latency: "Latency",
    egress: "Exit",
    egressNumber: (number: number) => `Exit ${number}`,
    meaning: "Meaning",
    answer: "Answer",
    answered: (rcode: string, count: number) =>
      `${rcode}, ${count === 1 ? "1 address or alias" : `${count} addresses and aliases`}`,
    details: "Details",
    test: "Test this domain",
    sameName: "Only this domain",
    gone: "This entry is no longer in the log.",
    pause: "Pause",
    resume: "Resume",
    asItHappens: "Live, newest first.",
    held: {
      button: "Paused.",
      looking: "Paused while hovering.",
      scrolled: "Paused until you scroll back to the top.",
    },
    skipped: (count: string, isFiltered: boolean) =>
      isFiltered
        ? `Skipped up to ${count} entries: too many to show live. Open History to see them.`
        : `Skipped ${count} entries: too many to show live. Open History to see them.`,
    toOlder: "History",
    toLive: "Live",
    older: "Older entries",
    again: "Refresh",
    empty: "The log is empty. Entries appear as soon as a device sends a query.",
    noMatch: "No entry matches these filters.",
    clear: "Clear log",
    clearsAll: "All log entries and statistics of all devices are deleted. This cannot be undone.",
    clearsOne: "All log entries and statistics of the selected client are deleted. This cannot be undone.",
    clearAction: "Clear",
    cleared: "Log cleared",
  },
  tester: {
    title: "Is a domain blocked?",
    name: "Domain",
    client: "Client",
    unknownDevice: "Unknown device",
    type: "Type",
    submit: "Test",
    resultTitle: (name: string, who: string) => `Is ${name} blocked${who ? ` for ${who}` : ""}?`,
    answer: (verdict: "none" | "allow" | "block" | "rewrite", by: string | null, value: string | undefined) =>
      answers[verdict](by ?? "the gateway", value ?? ""),
    verdict: "Verdict",
    decidedBy: "Decided by",
    answers: "Answered with",
    zone: "Local zone",
    egress: "Exit",
    egressStatus: (name: string, status: string) => `${name} (${status})`,
    forwarders: "Upstreams",
    noForwarders: "None",
    log: "Logged",
    logLevels: { full: "Full query", counts: "Count only", none: "Nothing" },
    trace: "Evaluation steps",
  },
  scope,
  rules,
  services,
  lists,
  zones,
  resolvers,
  cache,
};

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
