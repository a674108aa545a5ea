import { type Address, lastAddress, parseAddress, parseCidr } from "../net/addresses.ts";
import { pageLimit } from "@portcullis/contract/collection";
import type { InputOf, Page, ResultOf } from "@portcullis/contract/endpoint";
import type { policyViews } from "@portcullis/contract/subsystems/routing";
import { decide } from "../compiler/policy/decide.ts";
import { decisionOn } from "../compiler/policy/evaluate.ts";
import { factsFor, type Link, type ObservedState } from "../compiler/input/facts.ts";
import { type Intent, type IntentDevice, type Network, outsideOf } from "../compiler/input/intent.ts";
import { type Outcome, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { decodeId, encodeCursor } from "../subsystems/resources.ts";
import { intentAt, type Sources } from "./sources.ts";
import type { Packet } from "../compiler/policy/packet.ts";

type Query = InputOf<typeof policyViews.leakMatrix>["query"];
type Row = ResultOf<typeof policyViews.leakMatrix>["items"][number];
type Cell = Row["cells"][number];
export type Posture = Row["now"];

/** The device of a row; id null: an unknown device. */
export type MatrixSubject = Pick<IntentDevice, "mac" | "ips"> & { readonly id: string | null };

/** Which devices are protected, blocked or exposed, now and when hops go down. */
export function leakAnswers({ network, exceptions, observedState, published, pause, now }: Sources) {
  return {
    leakMatrix: async (query: Query): Promise<Page<Row>> => {
      const resources = published();
      const intent = intentAt(resources, network(), exceptions(), now());
      const observed = await observedState();
      const { subjects, next } = subjectsOn(intent.devices, query);
      const cells = await matrix(intent, observed, subjects, pause);
      const names = new Map(resources.device.map(({ id, name }) => [id, name]));
      const items = subjects.map(({ id }, index) => ({
        device_id: id,
        name: id === null ? "unknown device" : names.get(id)!,
        ...summaryOf(cells[index]!),
      }));
      return { items, total: intent.devices.length + 1, next };
    },
  };
}

export const unknownDevice: MatrixSubject = { id: null, mac: null, ips: [] };
/** Before every id: the cursor of a page that ended with the unknown device. */
const beforeAll = "00000000-0000-0000-0000-000000000000";

/** One page of devices by id; the first page begins with the unknown device. */
function subjectsOn(devices: readonly IntentDevice[], { limit = pageLimit.default, cursor }: Query) {
  const after = cursor === undefined ? undefined : decodeId(cursor);
  const known: MatrixSubject[] = devices.filter(({ id }) => after === undefined || id > after);
  const rest = [...(after === undefined ? [unknownDevice] : []), ...known.toSorted((a, b) => (a.id! < b.id! ? -1 : 1))];
  const subjects = rest.slice(0, limit);
  return { subjects, next: rest.length > limit ? encodeCursor(subjects.at(-1)!.id ?? beforeAll) : undefined };
}

/**
 * The cells of each subject. The tables are built once for each scenario, from the subjects and all devices that are matched by
 * address: entries of other devices match only themselves. Other requests run between scenarios.
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
    for (const [index, all] of packets.entries())
      cells[index]!.push({
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

/** The current state, every hop up, each hop down alone, and all hops down. */
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

/** A packet of each address family that the device has or could have on the LAN: one may be protected and the other not. */
export function packetsOn({ lan }: Network, links: readonly Link[]): (subject: MatrixSubject) => Packet[] {
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

/** The highest host address: rarely the gateway's. */
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

/** The least protected first. */
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
