import type { Announce } from "@portcullis/contract/events";
import type { Reason } from "@portcullis/contract/reason";
import type { explainer } from "../../explain/explainer.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import { crudOperations, type Operations } from "../../subsystems/configuration/operations.ts";
import { exceptionRoutes } from "../../subsystems/exceptions/exceptions.routes.ts";
import { exceptionService } from "../../subsystems/exceptions/exceptions.service.ts";
import { exceptionStore } from "../../subsystems/exceptions/exceptions.store.ts";
import { watchExpiry } from "../../subsystems/exceptions/expiry.ts";
import type { historyService } from "../../subsystems/history/history.service.ts";
import type { referenceService } from "../../subsystems/records/references.service.ts";
import { chainService, profileService } from "../../subsystems/routing/profiles.service.ts";
import { chainRoutes, profileRoutes, routingRoutes } from "../../subsystems/routing/routing.routes.ts";
import { routingService } from "../../subsystems/routing/routing.service.ts";
import { shownRoutes } from "../../subsystems/routes.ts";
import { watchSchedules } from "../../subsystems/schedules/schedule-watch.ts";
import { scheduleService, withState } from "../../subsystems/schedules/schedules.service.ts";
import { sinceBootMs } from "../../system/clock.ts";
import { openPauses, openPausing } from "./pauses.ts";

/** Exceptions and pauses are opened separately: the planes need them before policies can be explained. */
export function openTemporary(needs: Parameters<typeof openPauses>[0]) {
  const store = exceptionStore(needs.ledger.database);
  const exceptions = exceptionService({ ...needs, store, monotonicMs: sinceBootMs });
  const pauses = openPauses(needs);
  return { exceptions, pauses, active: () => [...exceptions.active(), ...pauses.forCompiler()] };
}

interface Needs {
  readonly ledger: Ledger;
  readonly references: ReturnType<typeof referenceService>;
  readonly history: ReturnType<typeof historyService>;
  readonly temporary: Pick<ReturnType<typeof openTemporary>, "exceptions" | "pauses">;
  readonly planes: Pick<Planes, "dataplane" | "dns">;
  readonly explain: Pick<ReturnType<typeof explainer>, "findings" | "contradictions">;
  /** Resolves when the published state is in force, including the resolvers, as far as possible. */
  readonly enforced: () => Promise<boolean>;
  /** Resolves when the kernel has the current state. */
  readonly whenIdle: () => Promise<boolean>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  readonly now: () => Date;
  readonly announce: Announce;
}

/** Policies, profiles and chains, the exceptions from policies, pauses, and schedules. */
export function openRouting(needs: Needs) {
  const { ledger, history, temporary, planes, explain, enforced, whenIdle, notEnforced, now, announce } = needs;
  const { exceptions, pauses } = temporary;
  const pausing = openPausing({ ledger, pauses, planes, now });
  const { refuseInUse } = needs.references;
  const routing = routingService({ ledger, findings: explain.findings, contradictions: explain.contradictions });
  const expiry = watchExpiry({ ledger, service: exceptions, now });
  const times = watchSchedules({ ledger, now, sinceBootMs, announce, onChange: planes.dataplane.wake });
  const profiles = profileService({ ledger, refuseInUse });
  const schedules = scheduleService({ ledger, refuseInUse });
  return {
    routing,
    operations: {
      routing_policy: crudOperations(routing),
      profile: crudOperations(profiles),
      schedule: crudOperations(schedules),
    } satisfies Operations,
    handlers: {
      routing: routingRoutes({ ledger, service: routing, current: history.current, enforced, notEnforced, now }),
      profiles: profileRoutes(profiles),
      chains: chainRoutes(chainService({ ledger, refuseInUse })),
      schedules: shownRoutes(schedules, withState(now)),
      exceptions: exceptionRoutes({ service: exceptions, enforced: whenIdle }),
      ...pausing.handlers,
    },
    components: pausing.components,
    close: () => {
      expiry.stop();
      times.stop();
      pausing.close();
    },
  };
}
