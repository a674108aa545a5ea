import type { Caller, HandlersOf } from "@portcullis/contract/handler";
import type { captures } from "@portcullis/contract/subsystems/captures";
import type { Captures } from "./captures.service.ts";
import { captureStreams } from "./captures.stream.ts";
import { presets } from "./presets.ts";

interface Needs {
  readonly service: Captures;
  readonly authorization: (caller: Caller | undefined) => { readonly isAuthorized: () => boolean };
  /** Lets other requests run first. */
  readonly pause: () => Promise<void>;
}

export function captureRoutes({ service, authorization, pause }: Needs): HandlersOf<typeof captures> {
  const open = captureStreams();
  return {
    list: () => service.list(),
    presets: () => [...presets],
    start: ({ body }, { cause }) => service.start(body, cause),
    get: ({ params, query }) => service.get(params.id, query.after ?? 0, query.limit ?? 100),
    stream: ({ params, query }, { caller }) =>
      open({ ...service.recording(params.id), after: query.after ?? 0, pause, ...authorization(caller) }),
    packet: ({ params }) => service.details(params.id, params.number),
    download: ({ params }, { cause, setHeader }) => {
      const file = service.download(params.id, cause);
      setHeader("content-disposition", `attachment; filename="capture-${params.id}.pcapng"`);
      return file;
    },
    stop: ({ params }, { cause }) => service.stop(params.id, cause),
  };
}
