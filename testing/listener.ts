import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";

/** One message of a stream of server-sent events. */
export interface Heard {
  readonly id: string;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into events freely
  readonly data: any;
}

/** Somebody who listens to live events. */
export interface Listener {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly response: IncomingMessage;
  /** The first event not yet looked at that fits; those before it are passed over. Fails when the stream ends first. */
  next(fits: (heard: Heard) => boolean): Promise<Heard>;
  /** Resolves when the other side has ended the stream, with the events nobody asked for. */
  ended(): Promise<readonly Heard[]>;
  /** Leaves, and waits until the line is really down on this side. */
  [Symbol.asyncDispose](): Promise<void>;
}

export async function listen(origin: string, headers: Readonly<Record<string, string>> = {}): Promise<Listener> {
  const asking = request(`${origin}/api/v1/events`, { headers, agent: false }).end();
  const [response] = (await once(asking, "response")) as [IncomingMessage];
  const heard: Heard[] = [];
  let text = "";
  let over = false;
  let wake: () => void = () => {};
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const frames = (text + chunk).split("\n\n");
    text = frames.pop()!;
    heard.push(...frames.filter((frame) => !frame.startsWith(":")).map(parse));
    wake();
  });
  response.on("error", () => {}); // A stream that is cut off says so by its end.
  response.on("close", () => {
    over = true;
    wake();
  });
  const more = () => new Promise<void>((resolve) => void (wake = resolve));

  return {
    status: response.statusCode!,
    headers: response.headers,
    response,
    next: async (fits) => {
      while (true) {
        const place = heard.findIndex(fits);
        if (place >= 0) return heard.splice(0, place + 1).at(-1)!;
        if (over) throw new Error("The stream ended before that was heard");
        await more();
      }
    },
    ended: async () => {
      while (!over) await more();
      return heard;
    },
    [Symbol.asyncDispose]: () => leave(asking, response),
  };
}

async function leave(asking: ClientRequest, response: IncomingMessage): Promise<void> {
  if (response.closed) return;
  await new Promise((resolve) => {
    response.on("close", resolve);
    asking.destroy();
    response.destroy(); // One that was paused would never come to its end.
  });
}

function parse(frame: string): Heard {
  const fields = Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const { id = "", event = "", data = "null" } = fields;
  return { id, event, data: JSON.parse(data) };
}
