import { appendFileSync } from "node:fs";

/*
 * Loaded into a daemon before its own code. Appends a line to the file in LONG_TURNS for each turn of the event loop that takes long: when it
 * ended, and its CPU time in milliseconds. Unlike the time that passes, CPU time does not depend on other load of the machine.
 */
const file = process.env["LONG_TURNS"]!;
const longMs = 20;
const { setTimeout: nextTurn } = globalThis;

let before = process.threadCpuUsage();
function look(): void {
  const { user, system } = process.threadCpuUsage(before);
  const tookMs = (user + system) / 1000;
  if (tookMs > longMs) appendFileSync(file, `${Date.now()} ${tookMs}\n`);
  before = process.threadCpuUsage();
  nextTurn(look, 5).unref();
}
look();
