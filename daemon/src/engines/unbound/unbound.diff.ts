import type { Validator } from "./unbound.model.ts";

/** What a running Unbound says of itself, of that which changes while it runs. */
export interface RuntimeState {
  /** With a dot at the end, as it calls them. */
  readonly insecure: readonly string[];
  /** Name, with a dot at the end → type. Unbound has more of its own than we know of. */
  readonly localZones: ReadonlyMap<string, string>;
  readonly ignoresDates: boolean;
}

/** One thing to say to it, and why. */
export interface RuntimeChange {
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly commands: readonly string[];
}

/** From what it says to what it should say. What it remembers of a domain it judged by another rule is forgotten. */
export const runtimeChanges = (wanted: Validator, live: RuntimeState): RuntimeChange[] => [
  ...insecureChanges(wanted, live),
  ...localZoneChanges(localZonesOf(wanted), live.localZones),
  ...dateChanges(wanted, live),
];

function insecureChanges({ insecure }: Validator, live: RuntimeState): RuntimeChange[] {
  const wanted = new Set(insecure.map(dotted));
  const actual = new Set(live.insecure);
  const field = (domain: string) => `insecure ${domain}`;
  return [
    ...[...wanted]
      .filter((it) => !actual.has(it))
      .map((it) => ({
        field: field(it),
        expected: "insecure",
        actual: null,
        commands: [`insecure_add ${it}`, `flush_zone ${it}`],
      })),
    ...[...actual]
      .filter((it) => !wanted.has(it))
      .map((it) => ({
        field: field(it),
        expected: null,
        actual: "insecure",
        commands: [`insecure_remove ${it}`, `flush_zone ${it}`],
      })),
  ];
}

/** Changed by taking away first: a zone that only changes its type would keep what Unbound had put into it. */
function localZoneChanges(wanted: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): RuntimeChange[] {
  const wrong = [...wanted].filter(([name, type]) => actual.get(name) !== type);
  const strange = [...actual].filter(([name, type]) => type === open && !wanted.has(name));
  return [
    ...wrong.map(([name, type]) => ({
      field: `zone ${name}`,
      expected: type,
      actual: actual.get(name) ?? null,
      commands: [...(actual.has(name) ? [`local_zone_remove ${name}`] : []), `local_zone ${name} ${type}`],
    })),
    ...strange.map(([name, type]) => ({
      field: `zone ${name}`,
      expected: null,
      actual: type,
      commands: [`local_zone_remove ${name}`],
    })),
  ];
}

/** What was found to be forged by its dates is asked for anew; what was believed in spite of them may stay its time. */
function dateChanges({ ignoresDates, isValidating }: Validator, live: RuntimeState): RuntimeChange[] {
  if (!isValidating || ignoresDates === live.ignoresDates) return [];
  const said = (isIgnored: boolean) => (isIgnored ? "ignored" : "heeded");
  const option = `set_option val-override-date: ${ignoresDates ? "-1" : "0"}`;
  return [
    {
      field: "dates",
      expected: said(ignoresDates),
      actual: said(live.ignoresDates),
      commands: ignoresDates ? [option, "flush_bogus"] : [option],
    },
  ];
}

/**
 * Unbound keeps questions about private addresses to itself, which is right unless somebody has a zone there: then that
 * zone, and what is below it, is asked for like any other.
 */
export function localZonesOf({ insecure }: Pick<Validator, "insecure">): ReadonlyMap<string, string> {
  const kept = privateZones.map((name) => [name, "static"] as const);
  return new Map<string, string>([...kept, ...insecure.toSorted().map((name) => [dotted(name), open] as const)]);
}

/** Asked for like any other, unless Unbound was given something to say itself. */
const open = "transparent";

const dotted = (domain: string): string => `${domain}.`;

/** RFC 6303 and RFC 6761, as far as a household can have zones there. */
const privateZones: readonly string[] = [
  "10.in-addr.arpa.",
  ...Array.from({ length: 16 }, (_, index) => `${16 + index}.172.in-addr.arpa.`),
  "168.192.in-addr.arpa.",
  "254.169.in-addr.arpa.",
  "d.f.ip6.arpa.",
  ...["8", "9", "a", "b"].map((nibble) => `${nibble}.e.f.ip6.arpa.`),
  "home.arpa.",
  "test.",
  "invalid.",
  "onion.",
];
