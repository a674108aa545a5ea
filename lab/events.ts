import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Host } from "./namespaces.ts";

/** An event of the gateway's event stream. */
export interface GatewayEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Events from now on, for as long as the daemon runs. Resolves once the stream is open: no later event is missed. A
 * client has a limited number of streams, so a test that subscribes again disposes of the previous one.
 */
export async function subscribeToEvents(gateway: Host): Promise<GatewayEvent[] & Disposable> {
  const events: GatewayEvent[] = [];
  const stream = gateway.start("curl", "--silent", "--fail", "--no-buffer", "http://127.0.0.1:8080/api/v1/events");
  let event = "";
  const lines = createInterface({ input: stream.stdout! }).on("line", (line) => {
    if (line.startsWith("event: ")) event = line.slice("event: ".length);
    if (!line.startsWith("data: ")) return;
    const parsed = JSON.parse(line.slice("data: ".length)) as { data?: GatewayEvent["data"] };
    events.push({ event, data: parsed.data ?? (parsed as GatewayEvent["data"]) });
  });
  const ended = once(stream, "exit").then(() => {
    throw new Error("The stream of events ended before it began");
  });
  ended.catch(() => {}); // Later on it ends with the daemon, or with the lab.
  // The stream begins with a message.
  await Promise.race([once(lines, "line"), ended]);
  return Object.assign(events, { [Symbol.dispose]: () => void stream.kill("SIGKILL") });
}
