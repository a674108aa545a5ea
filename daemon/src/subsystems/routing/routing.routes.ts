import { type Reason, whyNotEnforced } from "@portcullis/contract/reason";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { chains } from "@portcullis/contract/subsystems/chains";
import type { Snapshot } from "@portcullis/contract/subsystems/history";
import type { profiles, routing } from "@portcullis/contract/subsystems/routing";
import type { Ledger } from "../../ledger/ledger.ts";
import { crudRoutes, shownRoutes } from "../routes.ts";
import { shownPolicy } from "../shown-policies.ts";
import type { chainService, profileService } from "./profiles.service.ts";
import type { Routing } from "./routing.service.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly service: Routing;
  /** The current snapshot after an apply, and the deadline of its confirmation. */
  readonly current: () => { readonly snapshot: Snapshot; readonly confirmUntil: string | null };
  /** Resolves when the engines are done, with whether all of it is in force. */
  readonly enforced: () => Promise<boolean>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  readonly now: () => Date;
}

export const routingRoutes = ({
  ledger,
  service,
  current,
  enforced,
  notEnforced,
  now,
}: Needs): HandlersOf<typeof routing> => ({
  ...shownRoutes(service, shownPolicy(ledger, now)),
  toggle: ({ params, body }, { cause }) => shownPolicy(ledger, now)(service.toggle(cause, params.id, body?.enabled)),
  apply: async ({ query }, { cause }) => {
    const { published, findings } = service.apply(cause, query.confirm_within);
    const isEnforced = await enforced();
    const { snapshot, confirmUntil } = current();
    return {
      snapshot,
      published,
      confirm_until: confirmUntil,
      enforced: isEnforced,
      ...whyNotEnforced(notEnforced()),
      findings,
    };
  },
});

export const profileRoutes = (service: ReturnType<typeof profileService>): HandlersOf<typeof profiles> =>
  crudRoutes(service);

export const chainRoutes = (service: ReturnType<typeof chainService>): HandlersOf<typeof chains> => crudRoutes(service);
