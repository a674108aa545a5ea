import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { openDemo } from "../lab/demo.ts";

/*
 * npm run demo [-- leak-test]
 *
 * A gateway with clients, an Internet provider and VPN providers in network namespaces of this machine, with traffic. Prints the address of
 * its web interface (PORT=…, by default 8088). In a terminal, `l` and Enter starts the leak test. With `leak-test` it runs this test
 * only; the exit status is 1 if a packet leaked. Needs root and what `.ci/run` installs.
 */
const [word, ...rest] = process.argv.slice(2);
if ((word !== undefined && word !== "leak-test") || rest.length > 0) fail("usage: npm run demo [-- leak-test]");
if (process.getuid?.() !== 0) fail("The demo creates network namespaces: run it as root");
if (!existsSync("dist/portcullisd.mjs")) fail("Nothing is built: npm run build");

const print = (line: string): void => void process.stdout.write(`${line}\n`);
print("Starting a gateway, two clients, an Internet provider and two VPN providers ...");
await using demo = await openDemo(word === "leak-test" ? 0 : Number(process.env["PORT"] ?? 8088));
if (word === "leak-test") await testLeaks();
else await serve();

async function testLeaks(): Promise<void> {
  const { captured } = await demo.leakTest(print);
  if (captured.protected > 0) process.exitCode = 1;
}

/** Until Ctrl-C, `q`, or the end of the input. */
async function serve(): Promise<void> {
  print(`\nWeb interface: ${demo.address}`);
  print("l + Enter: kill the laptop's VPN server and show what leaks. q + Enter: end.");
  const input = createInterface({ input: process.stdin });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => input.close());
  for await (const line of input) {
    if (line.trim() === "q") break;
    if (line.trim() === "l") await testLeaks();
  }
  print("Removing the demo ...");
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
