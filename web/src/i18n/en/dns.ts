import { lists, rules, scope } from "./dns-filters.ts";
import { cache, resolvers, zones } from "./dns-resolving.ts";

type Verdict = "none" | "allow" | "block" | "rewrite" | "cname" | "rebind";

const answers: Readonly<Record<"none" | "allow" | "block" | "rewrite", (by: string, value: string) => string>> = {
  none: () => "No: nothing speaks of it.",
  allow: (by) => `No: ${by} lets it through.`,
  block: (by) => `Yes: ${by}.`,
  rewrite: (by, value) =>
    value ? `It is answered with ${value}: ${by}.` : `It is answered as if it did not exist: ${by}.`,
};

const causes: Readonly<Record<string, (name: string) => string>> = {
  dns_list: (name) => `list ${name}`,
  dns_filter_rule: (name) => `rule ${name}`,
  dns_allow_entry: (name) => `allowed: ${name}`,
  dns_block_entry: (name) => `blocked: ${name}`,
  dns_rewrite: (name) => `rewrite ${name}`,
};

export const dns = {
  subtitle: "Who asks for what, and what becomes of it?",
  tabsLabel: "Parts of DNS",
  tabs: {
    overview: "Overview",
    log: "Log",
    test: "Test",
    rules: "Rules",
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
    none: "Nothing speaks of this name, so it was answered.",
    allow: "An entry lets this name through.",
    block: "This name is blocked.",
    rewrite: "The gateway answers this name in its own way.",
    cname: "This name is an alias of one that is blocked.",
    rebind: "The answer pointed into a private network, so it was refused.",
  } satisfies Record<Verdict, string>,
  planes: { running: "Running", degraded: "Degraded", failed: "Not answering", off: "Off" },
  answeredBy: { cache: "Cache", gateway: "Gateway", resolver: "Resolver" },
  causes,
  overview: {
    status: "How it is",
    sentence: (status: "running" | "degraded" | "failed" | "off", reason: string) =>
      status === "running" ? "Names are answered on every way." : `${capital(reason) || "The reason is not known"}.`,
    noEgress: "Devices that leave by no way",
    answering: (count: number) => (count === 1 ? "1 resolver answers" : `${count} resolvers answer`),
    listens: (address: string) => `Devices ask at ${address}.`,
    filtering: (on: boolean, backend: "integrated" | "extfilter"): string =>
      backend === "extfilter"
        ? "An external filter decides what is blocked."
        : on
          ? "Filtering is on."
          : "Filtering is off: nothing is blocked.",
    dnssec: (on: boolean): string => (on ? "Signatures are checked." : "Signatures are not checked."),
    datesIgnored: "Signatures are checked, but not their dates, until the clock can be trusted.",
    dropped: (count: string) => `${count} answers came too fast to be written down.`,
    overTime: "Questions in the last 24 hours",
    queries: "Questions",
    blocked: "Blocked",
    blockedShare: "of them blocked",
    cachedShare: "answered from the cache",
    logRows: (max: string) => `rows in the log, at most ${max}`,
    noQueries: "Nobody has asked for anything yet. Devices ask as soon as the gateway is their resolver.",
    nothingBlocked: "Nothing was blocked yet.",
    toLog: "Open the log",
    topDomains: "Asked for most",
    topBlocked: "Blocked most",
    topClients: "Who asks most",
    ofRows: (rows: string) => `Of the newest ${rows} log rows`,
    ofBlocked: (count: string) => `${count} blocked`,
  },
  log: {
    title: "Questions",
    filters: "Filter the log",
    name: "Name",
    nameExample: "Part of a name, or .example.org",
    client: "Device or address",
    anyClient: "Anybody",
    verdict: "Verdict",
    any: "Any",
    type: "Type",
    time: "Time",
    device: "Device",
    address: "Address",
    cause: "Cause",
    answeredBy: "Answered by",
    latency: "Took",
    egress: "Way",
    egressNumber: (number: number) => `Way ${number}`,
    meaning: "That means",
    answer: "Answer",
    answered: (rcode: string, count: number) =>
      `${rcode}, ${count === 1 ? "1 address or alias" : `${count} addresses and aliases`}`,
    details: "Details",
    test: "Test this name",
    sameName: "Only this name",
    gone: "This line is no longer in the log.",
    pause: "Pause",
    resume: "Go on",
    asItHappens: "Live: newest on top.",
    held: {
      button: "Paused.",
      looking: "Stands still while you look.",
      scrolled: "Stands still until you are back at the top.",
    },
    skipped: (count: string, isFiltered: boolean) =>
      isFiltered
        ? `Skipped up to ${count}: more than can be shown as they come. Look back to see them.`
        : `Skipped ${count}: more than can be shown as they come. Look back to see them.`,
    toOlder: "Look back",
    toLive: "Follow live",
    older: "Older lines",
    again: "Read again",
    empty: "The log is empty. Lines appear here as soon as a device asks for a name.",
    nothingFits: "No line fits these filters.",
    clear: "Empty the log",
    clearsAll: "Every line, counter and statistic of all devices is forgotten. There is no way back.",
    clearsOne: "Every line and counter of the client you filter by is forgotten. There is no way back.",
    clearAction: "Forget them",
    cleared: "The log is empty",
  },
  tester: {
    title: "Would a name be blocked?",
    name: "Name",
    client: "Asked by",
    unknownDevice: "Somebody nobody knows",
    type: "Type",
    submit: "Test",
    resultTitle: (name: string, who: string) => `Would ${name} be blocked${who ? ` for ${who}` : ""}?`,
    answer: (verdict: "none" | "allow" | "block" | "rewrite", by: string | null, value: string | undefined) =>
      answers[verdict](by ?? "the gateway", value ?? ""),
    verdict: "Verdict",
    decidedBy: "Decided by",
    answers: "Answered with",
    zone: "Own zone",
    egress: "Way out",
    egressStatus: (name: string, status: string) => `${name} (${status})`,
    forwarders: "Would ask",
    noForwarders: "Nobody outside",
    log: "Written down",
    logLevels: { full: "The whole question", counts: "Only that something was asked", none: "Nothing" },
    trace: "What was looked at",
  },
  scope,
  rules,
  lists,
  zones,
  resolvers,
  cache,
};

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
