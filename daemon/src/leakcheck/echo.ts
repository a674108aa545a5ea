import { because, literal, type Reason } from "@portcullis/contract/reason";
import { parseAddress } from "../net/addresses.ts";
import type { PqMode } from "../net/key-exchange.ts";
import type { LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import { outsideOf } from "../compiler/input/intent.ts";
import { portsOf } from "../engines/dnsdist/dnsdist.model.ts";
import { directEgress } from "../engines/nftables/nftables.model.ts";
import { queryNameAt, requestPageFrom } from "../system/echo.ts";
import { type Evidence, evidence, type Finding, anyOrigin } from "./finding.ts";
import type { Plan, Subject } from "./subjects.ts";

/** The answer of an echo service: the address that a request came from. */
export interface Echo {
  readonly kind: "address" | "resolver";
  /** The interface of the request, or the number of the egress whose resolver was queried. */
  readonly via: string | number;
  readonly what: Reason;
  readonly answer: readonly string[];
  readonly failure?: string;
}

const limitMs = 4000;

/** Queries the echo services that the operator configured, through every egress of the devices, and by the uplink to compare. */
export async function queryEchoes(
  {
    address_echo_url: url,
    resolver_echo_name: name,
    pqMode,
  }: Pick<LeakMonitorSettings, "address_echo_url" | "resolver_echo_name"> & { readonly pqMode: PqMode },
  { intent, facts }: Pick<Plan, "intent" | "facts">,
  subjects: readonly Subject[],
  known: readonly Pick<Echo, "kind" | "via">[] = [],
): Promise<Echo[]> {
  const isKnown = (kind: Echo["kind"], via: Echo["via"]): boolean =>
    known.some((it) => it.kind === kind && it.via === via);
  const origins = subjects.flatMap((it) => it.origins);
  const interfaces = [...new Set([intent.network.wan, ...origins.flatMap((it) => it.interfaces)])];
  const pages = interfaces
    .filter((via) => !isKnown("address", via))
    .flatMap((via) => {
      const link = facts.links.find((it) => it.name === via && it.up);
      const from = link?.addresses?.find((it) => !it.startsWith("fe80:"));
      return url === null || from === undefined ? [] : [queryPage({ url, from, pqMode }, via)];
    });
  const egresses = intent.dns ? [...new Set(origins.flatMap((it) => it.egresses))] : [];
  const resolvers = egresses
    .filter((egress) => egress !== directEgress && egress < 0xf0 && !isKnown("resolver", egress))
    .flatMap((egress) => (name === null ? [] : [queryResolver(name, egress)]));
  return Promise.all([...pages, ...resolvers]);
}

const queryPage = (
  page: { readonly url: string; readonly from: string; readonly pqMode: PqMode },
  via: string,
): Promise<Echo> =>
  echoResult(
    { kind: "address", via, what: because("check_echo_page", { url: page.url, address: page.from, interface: via }) },
    async () => addressesIn(await requestPageFrom({ ...page, timeoutMs: limitMs })),
  );

function queryResolver(name: string, egress: number): Promise<Echo> {
  const { frontend } = portsOf(egress);
  const what = because("check_echo_resolver", { name, port: String(frontend) });
  return echoResult({ kind: "resolver", via: egress, what }, async () =>
    (await queryNameAt(frontend, name, limitMs)).flatMap(addressesIn),
  );
}

const echoResult = async (request: Pick<Echo, "kind" | "via" | "what">, send: () => Promise<string[]>): Promise<Echo> =>
  send().then(
    (answer) => ({ ...request, answer }),
    (error: Error) => ({ ...request, answer: [], failure: error.message }),
  );

/** Echo services answer with a line, JSON or HTML. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    (text.match(/[0-9a-fA-F:]*[.:][0-9a-fA-F:.]+/g) ?? [])
      .map((it) => it.replace(/[.:]+$/, (end) => (end === "::" ? end : "")))
      .filter((it) => parseAddress(it) !== undefined),
  ),
];

type Learned = (via: string) => readonly string[];

/** The addresses of the uplink: its own, and those that echo services returned for it, now or before. */
function uplinkAnswers(
  { intent, facts }: Pick<Plan, "intent" | "facts">,
  echoes: readonly Echo[],
  learned: Learned,
): Set<string> {
  const outside = outsideOf(intent.network);
  return new Set([
    ...facts.links.filter(({ name }) => outside.includes(name)).flatMap(({ addresses = [] }) => addresses),
    ...echoes.filter(({ kind, via }) => kind === "address" && outside.includes(String(via))).flatMap((it) => it.answer),
    ...outside.flatMap(learned),
  ]);
}

/** Traffic that leaves a tunnel with the uplink's own address reveals it. */
export function echoFindings(
  plan: Pick<Plan, "intent" | "facts">,
  echoes: readonly Echo[],
  learned: Learned,
): Finding[] {
  const open = uplinkAnswers(plan, echoes, learned);
  const outside = outsideOf(plan.intent.network);
  return echoes
    .filter(({ via, answer }) => !outside.includes(String(via)) && answer.some((it) => open.has(it)))
    .map(({ kind, via, what, answer }) => ({
      cause: kind === "address" ? "tunnel-egress-is-uplink" : "dns-in-the-clear",
      severity: "leak",
      message:
        kind === "address" ? because("leak_echo_address", { interface: String(via) }) : because("leak_echo_resolver"),
      evidence: [evidence(what, expectedAnswer([...open], learned(String(via))), literal(answer.join(", ")))],
      appliesTo: anyOrigin((origin) =>
        kind === "address" ? origin.interfaces.includes(String(via)) : origin.egresses.includes(Number(via)),
      ),
    }));
}

const expectedAnswer = (addresses: readonly string[], before: readonly string[]): Reason =>
  before.length === 0 ? because("seen_none_of", { addresses }) : because("seen_none_of_changed", { addresses, before });

/** The echoes of one device. */
export const echoEvidence = (echoes: readonly Echo[], { origins }: Subject): Evidence[] =>
  echoes
    .filter(({ kind, via }) =>
      origins.some((it) =>
        kind === "address" ? it.interfaces.includes(String(via)) : it.egresses.includes(Number(via)),
      ),
    )
    .map(({ kind, what, answer, failure }) =>
      evidence(
        what,
        because(kind === "address" ? "seen_not_uplink" : "seen_not_from_uplink"),
        failure !== undefined
          ? because("seen_unanswered", { message: failure })
          : answer.length > 0
            ? literal(answer.join(", "))
            : because("seen_no_echo"),
      ),
    );
