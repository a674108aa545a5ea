import type { Announce } from "@portcullis/contract/events";
import type { Reason } from "@portcullis/contract/reason";
import type { explainer } from "../../explain/explainer.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { exceptionRoutes } from "../../subsystems/exceptions/exceptions.routes.ts";
import { type Exceptions, exceptionService } from "../../subsystems/exceptions/exceptions.service.ts";
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

/** Exceptions are opened separately: the planes need them before policies can be explained. */
export const openExceptions = (needs: Pick<Needs, "ledger" | "now"> & Pick<ExceptionNeeds, "announce" | "onChange">) =>
  exceptionService({ ...needs, store: exceptionStore(needs.ledger.database), monotonicMs: sinceBootMs });
type ExceptionNeeds = Parameters<typeof exceptionService>[0];

interface Needs {
  readonly ledger: Ledger;
  readonly references: ReturnType<typeof referenceService>;
  readonly history: ReturnType<typeof historyService>;
  readonly exceptions: Exceptions;
  readonly explain: Pick<ReturnType<typeof explainer>, "findings" | "contradictions">;
  /** Resolves when the published state is in force, including the resolvers, as far as possible. */
  readonly enforced: () => Promise<boolean>;
  /** Resolves when the kernel has the current state. */
  readonly whenIdle: () => Promise<boolean>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  readonly now: () => Date;
  readonly announce: Announce;
  /** Compiles and applies again. */
  readonly wake: () => void;
}

/** Policies, profiles and chains, the exceptions from policies, and schedules. */
export function openRouting(needs: Needs) {
  const { ledger, history, exceptions, explain, enforced, whenIdle, notEnforced, now, announce, wake } = needs;
  const { refuseInUse } = needs.references;
  const routing = routingService({ ledger, findings: explain.findings, contradictions: explain.contradictions });
  const expiry = watchExpiry({ ledger, service: exceptions, now });
  const times = watchSchedules({ ledger, now, announce, onChange: wake });
  return {
    routing,
    handlers: {
      routing: routingRoutes({ ledger, service: routing, current: history.current, enforced, notEnforced }),
      profiles: profileRoutes(profileService({ ledger, refuseInUse })),
      chains: chainRoutes(chainService({ ledger, refuseInUse })),
      schedules: shownRoutes(scheduleService({ ledger, refuseInUse }), withState(now)),
      exceptions: exceptionRoutes({ service: exceptions, enforced: whenIdle }),
    },
    close: () => {
      expiry.stop();
      times.stop();
    },
  };
}
