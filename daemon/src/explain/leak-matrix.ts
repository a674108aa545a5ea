import { type Address, lastAddress, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import { pageLimit } from "@portcullis/contract/collection";
import type { InputOf, Page, ResultOf } from "@portcullis/contract/endpoint";
import type { policyViews } from "@portcullis/contract/subsystems/routing";
import { decide } from "../compiler/policy/decide.ts";
import { decisionOn } from "../compiler/policy/evaluate.ts";
import { factsFor, type Link, type ObservedState } from "../compiler/input/facts.ts";
import { type Intent, type IntentDevice, type Network, outsideOf } from "../compiler/input/intent.ts";
import { type Outcome, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { intentOf } from "../compiler/input/read-document.ts";
import { decodeId, encodeCursor } from "../subsystems/resources.ts";
import type { Sources } from "./sources.ts";
import type { Packet } from "../compiler/policy/packet.ts";

type Query = InputOf<typeof policyViews.leakMatrix>["query"];
type Row = ResultOf<typeof policyViews.leakMatrix>["items"][number];
type Cell = Row["cells"][number];
export type Posture = Row["now"];

/** Whom a row is about; without an id, a device nobody knows. */
export type MatrixSubject = Pick<IntentDevice, "mac" | "ips"> & { readonly id: string | null };

/** Who is protected, shut or exposed, now and when hops go down. */
export function leakAnswers({ network, exceptions, observedState, published, pause }: Sources) {
  return {
    leakMatrix: async (query: Query): Promise<Page<Row>> => {
      const resources = published();
      const intent = intentOf(resources, network(), exceptions());
      const world = await observedState();
      const { asked, next } = subjectsOn(intent.devices, query);
      const cells = await matrix(intent, world, asked, pause);
      const names = new Map(resources.device.map(({ id, name }) => [id, name]));
      const items = asked.map(({ id }, place) => ({
        device_id: id,
        name: id === null ? "a device nobody knows" : names.get(id)!,
        ...summaryOf(cells[place]!),
      }));
      return { items, total: intent.devices.length + 1, next };
    },
  };
}

export const unknownDevice: MatrixSubject = { id: null, mac: null, ips: [] };
/** Before every id: the cursor of a page that ended with the device nobody knows. */
const beforeAll = "00000000-0000-0000-0000-000000000000";

/** One page of devices in the order of their ids; the first begins with the one nobody knows. */
function subjectsOn(devices: readonly IntentDevice[], { limit = pageLimit.default, cursor }: Query) {
  const after = cursor === undefined ? undefined : decodeId(cursor);
  const known: MatrixSubject[] = devices.filter(({ id }) => after === undefined || id > after);
  const rest = [...(after === undefined ? [unknownDevice] : []), ...known.toSorted((a, b) => (a.id! < b.id! ? -1 : 1))];
  const asked = rest.slice(0, limit);
  return { asked, next: rest.length > limit ? encodeCursor(asked.at(-1)!.id ?? beforeAll) : undefined };
}

/**
 * The cells of each device that is asked about. The tables are made once for each scenario, with those asked about and
 * whoever is known by address: the others' entries speak of themselves only. Between scenarios others get their turn.
 */
export async function matrix(
  intent: Intent,
  observed: ObservedState,
  subjects: readonly MatrixSubject[],
  pause: () => Promise<void>,
): Promise<Cell[][]> {
  const ids = new Set(subjects.map(({ id }) => id));
  const narrowed = { ...intent, devices: intent.devices.filter(({ id, mac }) => mac === null || ids.has(id)) };
  const packets = subjects.map(packetsOn(intent.network, observed.links));
  const cells: Cell[][] = subjects.map(() => []);
  for (const { scenario, assumed } of scenariosOf(intent)) {
    const decisions = decide(narrowed, factsFor(intent, observed, assumed));
    for (const [place, all] of packets.entries())
      cells[place]!.push({
        scenario,
        ...leastProtected(
          all.map((it) => decisionOn(it, decisions, intent).outcome),
          intent.network,
        ),
      });
    await pause();
  }
  return cells;
}

const maxTargets = 100;

/** As it is, and as it would be with every hop up, with each one down alone, and with all of them down. */
function scenariosOf({ policies }: Intent): { scenario: string; assumed: Record<string, boolean> }[] {
  const hops = policies.flatMap((policy) => policy.hops);
  const targets = [...new Set(hops.map(({ target }) => target))].toSorted().slice(0, maxTargets);
  const all = (up: boolean) => Object.fromEntries(targets.map((target) => [target, up]));
  return [
    { scenario: "now", assumed: {} },
    { scenario: "all up", assumed: all(true) },
    ...targets.map((target) => ({ scenario: `${target} down`, assumed: { ...all(true), [target]: false } })),
    { scenario: "all down", assumed: all(false) },
  ];
}

/** A packet of each family the device has or could have here: what protects one of them need not protect the other. */
export function packetsOn({ lan }: Network, links: readonly Link[]): (asked: MatrixSubject) => Packet[] {
  const networks = links.filter(({ name }) => name === lan[0]).flatMap((link) => link.networks ?? []);
  const possible = networks.flatMap((it) => someAddressOf(it) ?? []);
  return ({ mac, ips }) => {
    const known = [...ips.flatMap((ip) => parseAddress(ip) ?? []), ...possible];
    const sources = ([4, 6] as const).flatMap((family) => known.find((it) => it.family === family) ?? []);
    return (sources.length > 0 ? sources : [undefined]).map((source) => ({
      interface: lan[0],
      mac: mac ?? undefined,
      source,
    }));
  };
}

/** The highest one a host can have: the gateway is rarely there. */
function someAddressOf(network: string): Address | undefined {
  const cidr = parseCidr(network);
  return cidr && { family: cidr.family, value: lastAddress(cidr) - 1n };
}

function leastProtected(outcomes: readonly Outcome[], network: Network): Omit<Cell, "scenario"> {
  const seen = outcomes.map((outcome) => ({
    outcome: outcome.kind === "pass" ? ("block" as const) : outcome.kind,
    interfaces: outgoingInterfaces(outcome, network.wan),
    posture: postureOf(outcome, network),
  }));
  return firstExposed(seen);
}

/** What is in the clear counts first, then what leaves at all. */
const order: readonly Posture[] = ["exposed", "protected", "blocked"];

export const firstExposed = <T extends { readonly posture: Posture }>(seen: readonly T[]): T =>
  order.flatMap((posture) => seen.filter((it) => it.posture === posture))[0]!;

export function postureOf(outcome: Outcome, network: Network): Posture {
  const interfaces = outgoingInterfaces(outcome, network.wan);
  if (interfaces.length === 0) return "blocked";
  return interfaces.some((name) => outsideOf(network).includes(name)) ? "exposed" : "protected";
}

function summaryOf(cells: Cell[]): Omit<Row, "device_id" | "name"> {
  const scenarios = (wanted: Posture) => cells.filter(({ posture }) => posture === wanted).map((it) => it.scenario);
  return { now: cells[0]!.posture, exposed_when: scenarios("exposed"), blocked_when: scenarios("blocked"), cells };
}
