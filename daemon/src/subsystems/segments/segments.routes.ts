import type { HandlersOf } from "@portcullis/contract/handler";
import type { segments } from "@portcullis/contract/subsystems/segments";
import type { SegmentService } from "./segments.service.ts";

interface Needs {
  readonly service: SegmentService;
  /** Resolves when the rules are in force. */
  readonly enforced: () => Promise<unknown>;
}

export const segmentRoutes = ({ service, enforced }: Needs): HandlersOf<typeof segments> => ({
  list: () => service.list(),
  get: ({ params }) => service.get(params.segment),
  update: async ({ params, body }, { cause }) => {
    const name = service.update(cause, params.segment, body);
    await enforced();
    return service.get(name);
  },
});
