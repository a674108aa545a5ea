import "./host/node-version.ts";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "@portcullis/contract/version";
import { type ParsedBootstrap, parseBootstrap } from "./config/bootstrap.ts";
import { accessWarnings } from "./config/access-checks.ts";
import type { Bootstrap } from "./config/keys.ts";
import { describeMistake } from "./config/mistake.ts";
import { missingInterfaces } from "./config/network-checks.ts";
import { createGateway } from "./app/gateway.ts";
import { isOpenElsewhere } from "./ledger/database.ts";
import { createLog } from "./app/log.ts";
import { undoFailedSetup } from "./app/modules/setup.ts";
import { keepRunning, type Opened } from "./app/running.ts";
import { setupNotice } from "./app/setup-notice.ts";
import { systemdNotifier } from "./system/systemd.ts";
import { linux } from "./system/system.ts";
import { tearDown } from "./planes/forwarding/tear-down.ts";
import { keepWatch, type Watch } from "./planes/forwarding/watchdog.ts";

const usage = `portcullisd ${version}

  portcullisd [--config FILE]     run the gateway (default /etc/portcullis/portcullis.yaml)
  portcullisd --check-config FILE validate the file and report its mistakes
  portcullisd --tear-down [--config FILE]
                                  remove rules, routes, tunnels and processes of a stopped gateway; nothing is forwarded then
  portcullisd --version
`;
const defaultConfig = "/etc/portcullis/portcullis.yaml";
/** After this time the process exits, before systemd would kill it. */
const stopWithinMs = 10_000;

await main();

async function main(): Promise<void> {
  const { values } = options();
  if (values.help) return void process.stdout.write(usage);
  if (values.version) return void process.stdout.write(`${version}\n`);
  const watch = values["revert-unconfirmed"];
  if (watch !== undefined) return keepWatch(linux, JSON.parse(watch) as Watch);
  const checking = values["check-config"];
  const { file, parsed } = read(checking ?? values.config);
  if (parsed.kind === "mistakes") fail(parsed.mistakes.map(describeMistake).join("\n"));
  else if (values["tear-down"]) await remove(parsed.bootstrap);
  else {
    const warnings = accessWarnings(parsed.bootstrap, file, statSync(file, { throwIfNoEntry: false })?.mode ?? 0);
    if (checking === undefined) await run(file, parsed, warnings);
    else check(file, parsed.bootstrap, warnings);
  }
}

/** Includes the checks that depend on this machine. */
function check(file: string, { network, dataplane }: Bootstrap, warnings: readonly string[]): void {
  const missing = dataplane.enabled ? missingInterfaces(network, linux.list("/sys/class/net")) : undefined;
  if (missing !== undefined) fail(`${file}: ${missing}`);
  process.stdout.write([...warnings.map((it) => `warning: ${it}`), `${file}: valid\n`].join("\n"));
}

async function remove({ paths }: Bootstrap): Promise<void> {
  if (isOpenElsewhere(join(paths.state, "portcullis.db")))
    fail("The daemon runs; stop it first, with systemctl stop portcullis.service for instance");
  const removed = await tearDown(linux, paths.run).catch((error: Error) => fail(`tear-down: ${error.message}`));
  for (const line of removed) process.stdout.write(`removed ${line}\n`.replace("removed setting", "set"));
  if (removed.length === 0) process.stdout.write("Portcullis has left nothing to remove\n");
}

function options() {
  try {
    return parseArgs({
      options: {
        config: { type: "string" },
        "check-config": { type: "string" },
        "tear-down": { type: "boolean" },
        // For the daemon itself: see watchdog.ts.
        "revert-unconfirmed": { type: "string" },
        version: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${usage}`);
  }
}

/** Without a file at the default path the defaults apply; a file given by --config must exist. */
function read(given: string | undefined): { file: string; parsed: ParsedBootstrap } {
  const file = given ?? defaultConfig;
  if (given === undefined && !existsSync(file)) return { file, parsed: parseBootstrap("", file) };
  try {
    return { file, parsed: parseBootstrap(readFileSync(file, "utf8"), file) };
  } catch (error) {
    return fail(`${file}: ${(error as Error).message}`);
  }
}

async function run(
  file: string,
  first: Extract<ParsedBootstrap, { kind: "ok" }>,
  warnings: readonly string[],
): Promise<void> {
  const log = createLog(first.bootstrap.log.level);
  let isFirst = true;
  const { PATH, NOTIFY_SOCKET, WATCHDOG_USEC } = process.env;
  delete process.env["NOTIFY_SOCKET"]; // Programs that the daemon starts must not send messages in its name.
  const systemd = systemdNotifier({ PATH, NOTIFY_SOCKET, WATCHDOG_USEC });
  for (const warning of warnings) log.warn(warning);
  const running = keepRunning({ open, log, undo: ({ paths }) => undoFailedSetup(linux, { file, paths }) });
  await running.catch((error: Error) => fail(error.message));

  async function open(restart: () => void): Promise<Opened> {
    // A pipe is read once.
    const parsed = isFirst ? first : parseBootstrap(readFileSync(file, "utf8"), file);
    if (parsed.kind === "mistakes") throw new Error(parsed.mistakes.map(describeMistake).join("\n"));
    const { bootstrap, given } = parsed;
    const gateway = await createGateway({
      bootstrap,
      given,
      restarting: existsSync(file) ? { file, restart } : undefined,
      system: linux,
      log,
      now: () => new Date(),
      webFolder: webFolder(),
      checkAnswers: process.env["PORTCULLIS_CHECK_ANSWERS"] === "1",
    }).catch(explained("portcullisd cannot start"));
    // Before the port is open: who sees it may stop the daemon.
    if (isFirst) for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, stop);
    isFirst = false;
    const address = await gateway.listen().catch(async (error: Error) => {
      await gateway.close();
      return explained("portcullisd cannot listen")(error);
    });
    log.info({ address, version, dataplane: bootstrap.dataplane.enabled }, "portcullisd is listening");
    systemd.ready(`listening on ${address}`);
    const code = bootstrap.auth.enabled ? gateway.setupCode() : undefined;
    // Not in the log: a QR code needs its own lines, and the setup code must not reach a log server.
    if (code !== undefined) process.stderr.write(setupNotice({ code, address, bootstrap }));
    return { gateway, bootstrap };
  }

  function stop(signal: string): void {
    log.info({ signal }, "stopping");
    systemd.stopping();
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    void running
      .then(({ close }) => close())
      .then(
        () => log.info("stopped"),
        (error: unknown) => {
          log.error({ err: error }, "stopping failed");
          process.exitCode = 1;
        },
      );
  }
}

function explained(what: string): (cause: Error) => never {
  return (cause) => {
    throw new Error(`${what}: ${cause.message}`, { cause });
  };
}

/** Next to the built program; in the source tree, the last build. */
function webFolder(): string | undefined {
  return ["./web", "../../dist/web"]
    .map((it) => new URL(it, import.meta.url).pathname)
    .find((it) => existsSync(`${it}/index.html`));
}

function fail(message: string): never {
  process.stderr.write(`${message.trimEnd()}\n`);
  process.exit(1);
}
