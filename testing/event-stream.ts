import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";

/** One message of a stream of server-sent events. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of an event
  readonly data: any;
}

/** A client of the live events. */
export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly response: IncomingMessage;
  /** The first event not yet read that matches; earlier ones are skipped. Rejects if the stream ends before. */
  next(matches: (event: StreamedEvent) => boolean): Promise<StreamedEvent>;
  /** Resolves when the server has ended the stream, to the events not yet read. */
  ended(): Promise<readonly StreamedEvent[]>;
  /** Closes the stream and waits until the connection is closed on this side. */
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openEventStream(
  origin: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const outgoing = request(`${origin}/api/v1/events`, { headers, agent: false }).end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const events: StreamedEvent[] = [];
  let text = "";
  let isOver = false;
  let wake: () => void = () => {};
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const frames = (text + chunk).split("\n\n");
    text = frames.pop()!;
    events.push(...frames.filter((frame) => !frame.startsWith(":")).map(parse));
    wake();
  });
  response.on("error", () => {}); // A stream that is cut off emits close as well.
  response.on("close", () => {
    isOver = true;
    wake();
  });
  const more = () => new Promise<void>((resolve) => void (wake = resolve));

  return {
    status: response.statusCode!,
    headers: response.headers,
    response,
    next: async (matches) => {
      while (true) {
        const index = events.findIndex(matches);
        if (index >= 0) return events.splice(0, index + 1).at(-1)!;
        if (isOver) throw new Error("The stream ended before a matching event");
        await more();
      }
    },
    ended: async () => {
      while (!isOver) await more();
      return events;
    },
    [Symbol.asyncDispose]: () => close(outgoing, response),
  };
}

async function close(outgoing: ClientRequest, response: IncomingMessage): Promise<void> {
  if (response.closed) return;
  await new Promise((resolve) => {
    response.on("close", resolve);
    outgoing.destroy();
    response.destroy(); // A paused response never emits close by itself.
  });
}

function parse(frame: string): StreamedEvent {
  const fields = Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const { id = "", event = "", data = "null" } = fields;
  return { id, event, data: JSON.parse(data) };
}
