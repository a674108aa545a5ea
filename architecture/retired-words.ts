/**
 * Words of an earlier vocabulary, and the terms that replace them. `retired-words.test.ts` finds them in all files of the
 * repository; `npm run glossary` writes the list into docs/glossary.md.
 */
export interface RetiredWord {
  /** All forms, separated by blanks. */
  readonly forms: string;
  readonly instead: string;
  /** `everywhere`: also in comments, strings and Markdown. `names`: in file names and exported identifiers only. */
  readonly scope: "everywhere" | "names";
}

const retired = (forms: string, instead: string): RetiredWord => ({ forms, instead, scope: "everywhere" });
const inNames = (forms: string, instead: string): RetiredWord => ({ forms, instead, scope: "names" });

export const retiredWords: readonly RetiredWord[] = [
  retired("way ways", "egress; link (health); path or via (prose)"),
  retired("namer naming", "DNS plan, DnsPlan"),
  retired("book books", "filter policy"),
  retired("asker askers questioner", "client"),
  retired("asked asking asks question questions", "query, request; queried, requested"),
  retired("told tells heard speaks spoke spoken", "reported, sent, set, read; matches, applies to"),
  retired(
    "nobody nobodys somebody everybody whoever whomever",
    "the actor: client, device, caller, operator; none, all",
  ),
  retired("carrier carriers", "link; member (of the pool)"),
  retired("carry carries carried carrying", "is up, is usable, forwards"),
  retired("shut", "blocked, closed"),
  retired("door doors doorman indoor indoors", "API server, access, listener, port; local"),
  retired("household households", "LAN, site"),
  retired("stranger strangers", "foreign change; unknown device"),
  retired("newcomer newcomers", "new device, unknown client"),
  retired("nowhere", "no egress, blocked"),
  retired("shelf shelves", "collection"),
  retired("keeper keepers", "supervisor"),
  retired("patient patients", "monitored link, probe target"),
  retired("happening", "event"),
  retired("duel duels challenger defender", "rank comparison; candidate, current"),
  retired("holder holders mortal", "named set; per generation"),
  retired("bent bend bends", "redirected"),
  retired("usual", "default, typical"),
  retired("astray", "misrouted, unexpected"),
  retired("surroundings", "observed state, environment"),
  retired("spokesman spokesmen", "representative, first member"),
  retired("law laws lawful unlawful", "rule, import rule, property; allowed"),
  retired("furniture", "shared files"),
  retired("townsfolk headquarters puppet", "topology devices, remote-admin, fake"),
  inNames("house houses room rooms", "LAN, site; module"),
  inNames("greeting greetings", "SOCKS5 probe"),
  inNames("ears glance", "netlink monitor; quick check"),
  inNames("lived deaths resting", "link state; crashes; backoff, inactive"),
  inNames("fought filling fillings", "compared; element update"),
  inNames("reception conversation", "local listener; TCP dialog"),
  inNames("catcher crowd mirror town street attendant", "sniffer, tcp-clients, echo-server, topology, agent"),
  inNames("deed deeds kit", "actions; ui"),
  inNames("say says said tell telling", "message, output; report, send, t (web)"),
  inNames("aside", "worker"),
  inNames("standing stands", "current, existing, applied"),
];

export interface Allowance {
  readonly files: RegExp;
  /** One form of a retired word. */
  readonly word: string;
  readonly reason: string;
}

/** Uses of a retired word in another meaning, in which it is a term of art. */
export const allowances: readonly Allowance[] = [
  {
    files:
      /^(?:contract|daemon)\/.*\/(?:bridges?|interfaces?)(?:[.-][^/]*)?(?:\/|$)|\/links\.status\.test\.ts$|^docs\/(?:reference\/|guide\/bridges\.md$)/,
    word: "carrier",
    reason: "the kernel's state of a network link, and the field of the API",
  },
  {
    files: /^(?:daemon\/src\/subsystems|cli\/src)\/setup\/|^testing\/interfaces\.ts$|^web\/src\/pages\/start\//,
    word: "carrier",
    reason: "the field of the API",
  },
  {
    files: /^daemon\/src\/system\/targets\.ts$|^docs\/guide\/dns-lists\.md$/,
    word: "carrier",
    reason: "carrier-grade NAT",
  },
  { files: /^daemon\/src\/system\/network\.ts$/, word: "carrier", reason: "the kernel's state of a network link" },
  {
    files: /^daemon\/src\/engines\/dnsdist\/(?:lua\/wire\.lua|(?:log\.parse|scripts)\.test\.ts)$/,
    word: "question",
    reason: "the question section of a DNS message",
  },
  { files: /^cli\/src\/terminal\.ts$/, word: "question", reason: "a method of node:readline" },
  { files: /^scripts\/(?:debian-mirror|next-debian)\.ts$/, word: "mirror", reason: "a server with Debian packages" },
  {
    files:
      /^web\/src\/(?:i18n\/(?:en|de)\/start|pages\/(?:start\/network-step|network\/interfaces-card|bridges\/bridge-card))\.tsx?$/,
    word: "carrier",
    reason: "the kernel's state of a network link",
  },
  {
    files: /^lab\/(?:engines\/(?:bridge|interfaces)|journeys\/pool)\.lab\.test\.ts$|^lab\/topology-egresses\.ts$/,
    word: "carrier",
    reason: "the kernel's state of a network link",
  },
];

/** Files that are not checked: generated records, foreign text, and the list itself. */
export const excluded =
  /^(?:package-lock\.json|LICENSE|web\/public\/inter-license\.txt$|proof\/|docs\/(?:proof|lab-results|figures|glossary|leak-[a-z]+)\.md$|architecture\/retired-words)|\.(?:png|ico|svg|woff2?|base64)$|\/(?:recordings|corpus)\//;

/** Directories and files that still contain retired words. An entry without any is an error: remove it. */
export const pending: readonly string[] = [];
