import { createInterface } from "node:readline";
import type { Host } from "./namespaces.ts";

/** Something the gateway said to everybody. */
export interface Told {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What the gateway says from now on, for as long as its daemon lives. */
export function listenOn(gateway: Host): Told[] {
  const told: Told[] = [];
  const stream = gateway.start("curl", "--silent", "--no-buffer", "http://127.0.0.1:8080/api/v1/events");
  let event = "";
  createInterface({ input: stream.stdout! }).on("line", (line) => {
    if (line.startsWith("event: ")) event = line.slice("event: ".length);
    if (!line.startsWith("data: ")) return;
    const parsed = JSON.parse(line.slice("data: ".length)) as { data?: Told["data"] };
    told.push({ event, data: parsed.data ?? (parsed as Told["data"]) });
  });
  return told;
}
