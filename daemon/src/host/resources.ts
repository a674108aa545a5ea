import type { Announce } from "@portcullis/contract/events";
import { because, explained } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import { isExhausted, type Measured, type Reading, resourceId, useOf } from "./resources.machine.ts";

interface Needs {
  readonly read: () => readonly Reading[];
  readonly announce: Announce;
  /** Whether a resource that was not read before was reported as exhausted, by an earlier daemon. */
  readonly wasExhausted: (id: string) => boolean;
}

interface State {
  readonly reading: Reading;
  readonly isExhausted: boolean;
}

/** Which resources of the machine and of the daemon are nearly exhausted. */
export function resourceMonitor({ read, announce, wasExhausted }: Needs) {
  let states: ReadonlyMap<string, State> = new Map();
  let isRead = false;

  function round(): void {
    const before = states;
    const next = new Map<string, State>();
    for (const reading of read()) {
      const id = resourceId(reading);
      const was = before.get(id)?.isExhausted ?? wasExhausted(id);
      // What cannot be read stays what it was.
      const is = "failure" in reading ? was : isExhausted(reading, was);
      next.set(id, { reading, isExhausted: is });
    }
    states = next;
    isRead = true;
    for (const [id, { reading, isExhausted: is }] of next) {
      const was = before.get(id)?.isExhausted ?? wasExhausted(id);
      if ("failure" in reading || is === was) continue;
      if (is) announce("resource.exhausted", { id, ...explained(useOf(reading)) });
      else announce("resource.recovered", { id });
    }
    for (const [id, { isExhausted: was }] of before) if (was && !next.has(id)) announce("resource.recovered", { id });
  }

  return {
    round,
    /** Whether it was read and is sufficient, or does not exist any more. */
    isSufficient: (id: string): boolean => isRead && !(states.get(id)?.isExhausted ?? false),
    component: (): Component => shown([...states.values()]),
  };
}

function shown(states: readonly State[]): Component {
  const exhausted = states.filter((it) => it.isExhausted).map((it) => it.reading);
  const unknown = states.flatMap(({ reading }) =>
    "failure" in reading ? [because("resource_unknown", { resource: resourceId(reading), why: reading.failure })] : [],
  );
  const uses = (all: readonly Reading[]) => all.filter(isMeasured).map(useOf);
  const scarce = uses(exhausted);
  if (scarce.length > 0)
    return component("resources", "degraded", because("resources_exhausted", { resources: [...scarce, ...unknown] }));
  if (unknown.length > 0)
    return component("resources", "degraded", because("resources_unknown", { resources: unknown }));
  return component(
    "resources",
    "ok",
    because("resources_sufficient", { resources: uses(states.map((it) => it.reading)) }),
  );
}

const isMeasured = (reading: Reading): reading is Measured => !("failure" in reading);
