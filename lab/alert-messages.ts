import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Host } from "./namespaces.ts";

/** An alert as a webhook gets it. */
interface AlertMessage {
  readonly rule: string;
  readonly message: string;
  readonly details: { readonly event: string; readonly count: number };
}

/** An HTTP server on a host of the lab that accepts alerts. It ends with the lab. */
export async function receiveAlerts(
  host: Host,
  address: string,
): Promise<{ readonly url: string; readonly messages: readonly AlertMessage[] }> {
  const messages: AlertMessage[] = [];
  const receiver = host.start(process.execPath, resolve("lab/alert-receiver-driver.ts"), address);
  const lines = createInterface({ input: receiver.stdout! });
  const [url] = (await once(lines, "line")) as [string];
  lines.on("line", (line) => messages.push(JSON.parse(line) as AlertMessage));
  return { url, messages };
}
