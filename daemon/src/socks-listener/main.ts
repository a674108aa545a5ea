import { readFileSync } from "node:fs";
import type { SocksListenerSettings } from "../engines/socks-listener/socks-listener.model.ts";
import { openListener } from "./listener.ts";

/*
 * A program of its own, in a sandbox: a SOCKS5 server. The kernel confines its packets to one egress. It records no destination
 * and no client.
 */
process.title = "socks-listener"; // In lists of processes.
const settings = JSON.parse(readFileSync("/etc/socks-listener.json", "utf8")) as SocksListenerSettings;
try {
  await openListener(settings);
  process.stdout.write("It listens\n"); // The daemon reports the listener as up when it finds this line.
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
