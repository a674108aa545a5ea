import type { Validator } from "./unbound.model.ts";

/** The state of a running Unbound that can change without a restart. */
export interface RuntimeState {
  /** With a dot at the end. */
  readonly insecure: readonly string[];
  /** Name, with a dot at the end → type. Unbound has more of its own than we know of. */
  readonly localZones: ReadonlyMap<string, string>;
  readonly ignoresDates: boolean;
}

/** One change, with its reason. */
export interface RuntimeChange {
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly commands: readonly string[];
}

/** From the actual to the wanted state. Cached records of a domain whose validation changes are flushed. */
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

/** A zone is removed before it is added: with only another type it would keep Unbound's default records. */
function localZoneChanges(wanted: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): RuntimeChange[] {
  const wrong = [...wanted].filter(([name, type]) => actual.get(name) !== type);
  const foreign = [...actual].filter(([name, type]) => type === open && !wanted.has(name));
  return [
    ...wrong.map(([name, type]) => ({
      field: `zone ${name}`,
      expected: type,
      actual: actual.get(name) ?? null,
      commands: [...(actual.has(name) ? [`local_zone_remove ${name}`] : []), `local_zone ${name} ${type}`],
    })),
    ...foreign.map(([name, type]) => ({
      field: `zone ${name}`,
      expected: null,
      actual: type,
      commands: [`local_zone_remove ${name}`],
    })),
  ];
}

/** Records that were bogus because of their dates are flushed; records that were accepted in spite of them stay until their TTL. */
function dateChanges({ ignoresDates, isValidating }: Validator, live: RuntimeState): RuntimeChange[] {
  if (!isValidating || ignoresDates === live.ignoresDates) return [];
  const text = (isIgnored: boolean) => (isIgnored ? "ignored" : "heeded");
  const option = `set_option val-override-date: ${ignoresDates ? "-1" : "0"}`;
  return [
    {
      field: "dates",
      expected: text(ignoresDates),
      actual: text(live.ignoresDates),
      commands: ignoresDates ? [option, "flush_bogus"] : [option],
    },
  ];
}

/**
 * Unbound does not forward queries for private addresses, which is right unless there is a local zone: then that
 * zone and all names below it are forwarded like any other.
 */
export function localZonesOf({ insecure }: Pick<Validator, "insecure">): ReadonlyMap<string, string> {
  const builtIn = privateZones.map((name) => [name, "static"] as const);
  return new Map<string, string>([...builtIn, ...insecure.toSorted().map((name) => [dotted(name), open] as const)]);
}

/** Forwarded, unless Unbound has local data. */
const open = "transparent";

const dotted = (domain: string): string => `${domain}.`;

/** RFC 6303 and RFC 6761, as far as a site can have zones there. */
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
