import type { HandlersOf } from "@portcullis/contract/handler";
import type { vlans } from "@portcullis/contract/subsystems/vlans";
import { crudRoutes } from "../routes.ts";
import type { VlanService } from "./vlans.service.ts";

interface Needs {
  readonly service: VlanService;
  /** Resolves when the engines are done. */
  readonly whenIdle: () => Promise<unknown>;
  readonly refresh: () => Promise<void>;
}

/** An answer shows the state in the kernel after the change. */
export function vlanRoutes({ service, whenIdle, refresh }: Needs): HandlersOf<typeof vlans> {
  const plain = crudRoutes(service);
  const settled = async (): Promise<void> => {
    await whenIdle();
    await refresh();
  };
  return {
    list: async (input) => {
      await refresh();
      return plain.list(input);
    },
    get: async (input) => {
      await refresh();
      return plain.get(input);
    },
    create: async ({ body }, { cause }) => {
      const { id } = service.create(cause, body);
      await settled();
      return service.get(id);
    },
    update: async ({ params, body }, { cause }) => {
      const { id } = service.update(cause, params.id, body);
      await settled();
      return service.get(id);
    },
    remove: async (input, context) => {
      const removed = plain.remove(input, context);
      await whenIdle();
      return removed;
    },
  };
}
