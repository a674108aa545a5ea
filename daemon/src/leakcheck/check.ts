import { isDeepStrictEqual } from "node:util";
import type { LeakCheck, LeakMonitorSettings } from "@portcullis/contract/subsystems/privacy";
import type { System } from "../system/system.ts";
import { attack, destinationOf } from "./spoofed-probes.ts";
import type { Wanted } from "./audit.ts";
import { askEchoes, type Echo } from "./echo.ts";
import type { Healed } from "./repairs.ts";
import { type Asked, judge } from "./assess.ts";
import { askRoute, readKernel, type RouteQuestion } from "./kernel.ts";
import { type Origin, type Subject, subjectsOf } from "./subjects.ts";

export interface Compiled extends Wanted {
  readonly revision: number;
}

export interface Needs {
  readonly system: Pick<System, "run" | "readText">;
  /** What was compiled last; nothing as long as the dataplane is off, or has not come to it. */
  readonly compiled: () => Compiled | undefined;
  /** Resolves when the engines have done what they can about it. */
  readonly settled: () => Promise<unknown>;
  readonly nameOf: (deviceId: string) => string;
  readonly settings: () => LeakMonitorSettings;
  /** Lets the reconciler look at everything, and put right what is not as it should be. */
  readonly lookAgain: () => Promise<void>;
  /** What it found so far. */
  readonly healed: () => readonly Healed[];
  readonly ours: (processId: number) => void;
  readonly random: () => number;
  /** What was answered through a way when nothing was wrong. */
  readonly learned: (way: string) => readonly string[];
  readonly now: () => Date;
}

export interface Wish {
  readonly cause: LeakCheck["cause"];
  /** Everybody, where nobody is named. */
  readonly deviceId?: string;
  /** What was put right since then counts as found. */
  readonly since?: Date;
}

export interface Checked {
  readonly check: LeakCheck;
  readonly echoes: readonly Echo[];
}

/** One leak check. If what should stand changes meanwhile, it is made once more; if it does so again, it says nothing. */
export async function checkLeaks(needs: Needs, wish: Wish): Promise<Checked | undefined> {
  const first = await checkOnce(needs, wish);
  return first?.check.discarded ? checkOnce(needs, wish) : first;
}

/**
 * First everything that others may put back is looked at and attacked, as the kernel has it now, or in a moment: what is
 * only on its way there is nobody's fault. Then the reconciler is asked, which mends what it finds.
 */
async function checkOnce(needs: Needs, { cause, deviceId, since }: Wish): Promise<Checked | undefined> {
  const { system, settings, now } = needs;
  const started = now();
  await needs.settled();
  const wanted = needs.compiled();
  if (!wanted) return undefined;
  const before = await readKernel(system, wanted.desired);
  const { devices, unchecked } = chosen(wanted.intent.devices, deviceId, needs.random);
  const subjects = subjectsOf(wanted, devices, needs.nameOf, before.neighbours);
  const routes = await askRoutes(
    needs,
    subjects,
    before.rules.some((it) => it.from !== null && !it.isOfOwn),
  );
  const attacked = await attack(needs, subjects);
  const after = await readKernel(system, wanted.desired);
  const echoes = await askEchoes(settings(), wanted, subjects);
  await needs.lookAgain();
  const from = (since ?? started).toISOString();
  const { devices: checked, ...judged } = judge(subjects, {
    wanted,
    kernels: [before, after],
    routes,
    attack: attacked,
    echoes,
    learned: needs.learned,
    healed: needs.healed().filter(({ at }) => at >= from),
    nowMs: now().getTime(),
  });
  const finished_at = now().toISOString();
  const check = {
    started_at: started.toISOString(),
    finished_at,
    cause,
    verdict: judged.verdict,
    devices: checked.map((it) => ({ ...it, checked_at: finished_at })),
    unchecked,
    gateway: [...judged.gateway],
    discarded: isOvertaken(wanted, needs.compiled(), checked),
  };
  return { check, echoes };
}

/** So many are looked at in one check: each is asked about in the kernel, and more than these nobody reads. */
const devicesMost = 256;

/** The one that is named; or everybody, as many at a time as fit. Who comes first is a matter of chance, so all have their turn. */
function chosen<T extends { readonly id: string }>(all: readonly T[], id: string | undefined, random: () => number) {
  if (id !== undefined) return { devices: all.filter((it) => it.id === id), unchecked: 0 };
  const first = all.length > devicesMost ? random() % all.length : 0;
  const devices = [...all.slice(first), ...all.slice(0, first)].slice(0, devicesMost);
  return { devices, unchecked: all.length - devices.length };
}

/**
 * Whether a check says nothing because something else should stand than when it began: the kernel was held against the
 * wrong thing then. But a packet that was seen outside was outside, as long as nobody's way was another one.
 */
export function isOvertaken(
  before: Compiled,
  after: Compiled | undefined,
  devices: readonly Pick<LeakCheck["devices"][number], "findings">[],
): boolean {
  if (stateOf(before) !== stateOf(after)) return true;
  const isSeen = devices.some(({ findings }) => findings.some(({ cause }) => cause === "seen-outside"));
  return !isSeen && !isDeepStrictEqual(before.desired, after?.desired);
}

/** Another revision, another uplink or another tunnel that carries packets is another question. */
const stateOf = (compiled: Compiled | undefined): string =>
  JSON.stringify([
    compiled?.revision,
    compiled?.intent.network.wan,
    compiled?.intent.exceptions.map(({ id }) => id),
    compiled?.facts.hops.map((hop) => [hop.interface, hop.up]),
  ]);

const atOnce = 4;

/**
 * The kernel's answer depends on the sender only where a rule asks for one. Where none does, whoever has the same mark on the
 * same LAN gets the same answer, and is told so.
 */
async function askRoutes(
  { system, random }: Needs,
  subjects: readonly Subject[],
  isBySender: boolean,
): Promise<ReadonlyMap<Origin, readonly Asked[]>> {
  const destinations = { 4: destinationOf(4, random()), 6: destinationOf(6, random()) };
  const answers = new Map<string, { readonly question: RouteQuestion; readonly answer: ReturnType<typeof askRoute> }>();
  const waiting: (() => Promise<unknown>)[] = [];
  const all = subjects.flatMap(({ origins }) =>
    origins.map((origin) => {
      const keys = [...origin.marks, null].map((mark) => {
        const { address: source, lan, family } = origin;
        const key = `${family} ${lan} ${mark} ${isBySender ? source : ""}`;
        if (!answers.has(key)) {
          const question = { destination: destinations[family], source, lan, mark };
          const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof askRoute>>>();
          answers.set(key, { question, answer: promise });
          waiting.push(() => askRoute(system, question).then(resolve));
        }
        return key;
      });
      return { origin, keys };
    }),
  );
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next();
    }),
  );
  const told = all.map(async ({ origin, keys }) => {
    const asked = keys.map(async (key) => {
      const { question, answer } = answers.get(key)!;
      return { question, answer: await answer };
    });
    return [origin, await Promise.all(asked)] as const;
  });
  return new Map(await Promise.all(told));
}
