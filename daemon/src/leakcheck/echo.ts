import { parseAddress } from "@portcullis/contract/addresses";
import type { LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import { outsideOf } from "../compiler/input/intent.ts";
import { portsOf } from "../engines/dnsdist/dnsdist.model.ts";
import { directEgress } from "../engines/nftables/nftables.model.ts";
import { queryNameAt, requestPageFrom } from "../system/echo.ts";
import { type Evidence, type Found, whose } from "./finding.ts";
import type { Plan, Subject } from "./subjects.ts";

/** What somebody outside said who asks. */
export interface Echo {
  readonly kind: "address" | "resolver";
  /** The interface that was asked through, or the number of the way whose resolver was asked. */
  readonly way: string | number;
  readonly what: string;
  readonly answer: readonly string[];
  readonly failure?: string;
}

const limitMs = 4000;

/** Asks whom the operator named, through every way that a device may leave by, and by the uplink to compare. Nobody else is asked. */
export async function askEchoes(
  {
    address_echo_url: url,
    resolver_echo_name: name,
  }: Pick<LeakMonitorSettings, "address_echo_url" | "resolver_echo_name">,
  { intent, facts }: Pick<Plan, "intent" | "facts">,
  subjects: readonly Subject[],
): Promise<Echo[]> {
  const origins = subjects.flatMap((it) => it.origins);
  const interfaces = [...new Set([intent.network.wan, ...origins.flatMap((it) => it.interfaces)])];
  const pages = interfaces.flatMap((way) => {
    const link = facts.links.find((it) => it.name === way && it.up);
    const from = link?.addresses?.find((it) => !it.startsWith("fe80:"));
    return url === null || from === undefined ? [] : [askPage(url, way, from)];
  });
  const egresses = intent.dns ? [...new Set(origins.flatMap((it) => it.egresses))] : [];
  const resolvers = egresses
    .filter((egress) => egress !== directEgress && egress < 0xf0)
    .flatMap((egress) => (name === null ? [] : [askResolver(name, egress)]));
  return Promise.all([...pages, ...resolvers]);
}

const askPage = (url: string, way: string, from: string): Promise<Echo> =>
  told({ kind: "address", way, what: `GET ${url} from ${from}, which is ${way}'s` }, async () =>
    addressesIn(await requestPageFrom({ url, from, timeoutMs: limitMs })),
  );

function askResolver(name: string, egress: number): Promise<Echo> {
  const { frontend } = portsOf(egress);
  const what = `${name} A, AAAA and TXT, asked of the resolver of its way (127.0.0.1 port ${frontend})`;
  return told({ kind: "resolver", way: egress, what }, async () =>
    (await queryNameAt(frontend, name, limitMs)).flatMap(addressesIn),
  );
}

const told = async (asked: Pick<Echo, "kind" | "way" | "what">, ask: () => Promise<string[]>): Promise<Echo> =>
  ask().then(
    (answer) => ({ ...asked, answer }),
    (error: Error) => ({ ...asked, answer: [], failure: error.message }),
  );

/** Pages say it in a line, in JSON or in HTML. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    (text.match(/[0-9a-fA-F:]*[.:][0-9a-fA-F:.]+/g) ?? [])
      .map((it) => it.replace(/[.:]+$/, (end) => (end === "::" ? end : "")))
      .filter((it) => parseAddress(it) !== undefined),
  ),
];

type Learned = (way: string) => readonly string[];

/** By which addresses the uplink itself is known: those it has, and what is or was said of whoever asks by it. */
function uplinkAnswers(
  { intent, facts }: Pick<Plan, "intent" | "facts">,
  echoes: readonly Echo[],
  learned: Learned,
): Set<string> {
  const outside = outsideOf(intent.network);
  return new Set([
    ...facts.links.filter(({ name }) => outside.includes(name)).flatMap(({ addresses = [] }) => addresses),
    ...echoes.filter(({ kind, way }) => kind === "address" && outside.includes(String(way))).flatMap((it) => it.answer),
    ...outside.flatMap(learned),
  ]);
}

/** A way whose end is the uplink's own address is none: whoever is talked to sees who talks. */
export function echoFindings(plan: Pick<Plan, "intent" | "facts">, echoes: readonly Echo[], learned: Learned): Found[] {
  const open = uplinkAnswers(plan, echoes, learned);
  const outside = outsideOf(plan.intent.network);
  return echoes
    .filter(({ way, answer }) => !outside.includes(String(way)) && answer.some((it) => open.has(it)))
    .map(({ kind, way, what, answer }) => ({
      cause: kind === "address" ? "tunnel-egress-is-uplink" : "dns-in-the-clear",
      severity: "leak",
      message:
        kind === "address"
          ? `What leaves by ${way} comes out with the uplink's own address`
          : "The resolver of its way asks from the uplink's own address",
      evidence: [{ what, expected: expectedText([...open], learned(String(way))), found: answer.join(", ") }],
      concerns: whose((origin) =>
        kind === "address" ? origin.interfaces.includes(String(way)) : origin.egresses.includes(Number(way)),
      ),
    }));
}

const expectedText = (open: readonly string[], before: readonly string[]): string =>
  `none of ${open.join(", ")}${before.length === 0 ? "" : `; so far it was ${before.join(", ")}`}`;

/** What was answered as it should be, for one device. */
export const echoEvidence = (echoes: readonly Echo[], { origins }: Subject): Evidence[] =>
  echoes
    .filter(({ kind, way }) =>
      origins.some((it) =>
        kind === "address" ? it.interfaces.includes(String(way)) : it.egresses.includes(Number(way)),
      ),
    )
    .map(({ kind, what, answer, failure }) => ({
      what,
      expected: kind === "address" ? "not the uplink's address" : "not asked from the uplink's address",
      found: failure === undefined ? answer.join(", ") || "no address" : `not answered: ${failure}`,
    }));
