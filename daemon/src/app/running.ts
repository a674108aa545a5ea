import { setTimeout as wait } from "node:timers/promises";
import type { Bootstrap } from "../config/keys.ts";
import type { Gateway } from "./gateway.ts";
import type { Log } from "./log.ts";

/** A gateway that listens. */
export interface Opened {
  readonly gateway: Gateway;
  readonly bootstrap: Bootstrap;
}

interface Needs {
  /** Reads the configuration file, opens a gateway and its port. `restart` is passed on to it. */
  readonly open: (restart: () => void) => Promise<Opened>;
  /** Restores the configuration from before the last setup; false: there was none. */
  readonly undo: (failed: Bootstrap) => boolean;
  readonly log: Pick<Log, "info" | "error">;
}

/**
 * One gateway after another in the same process. The setup changes the bootstrap file, which is read once: the gateway is closed and
 * opened again, as by a restart of the service, and engines and rules stay as they are. It works the same without systemd. If the
 * daemon cannot start with what the setup has written, it continues with the configuration from before.
 */
export async function keepRunning({ open, undo, log }: Needs): Promise<{ readonly close: () => Promise<void> }> {
  let current = await open(restart);
  let restarting = Promise.resolve();
  let isClosed = false;

  function restart(): void {
    restarting = restarting.then(openAgain).catch((error: unknown) => {
      log.error({ err: error }, "restarting failed");
      process.exit(1); // systemd starts the daemon again.
    });
  }
  async function openAgain(): Promise<void> {
    if (isClosed) return;
    log.info({}, "restarting with the changed configuration");
    const { bootstrap } = current;
    await current.gateway.close();
    current = await open(restart).catch(async (error: unknown) => {
      log.error({ err: error }, "the gateway cannot start with the changed configuration");
      if (!undo(bootstrap)) throw error;
      await wait(againMs);
      return open(restart);
    });
  }
  return {
    close: async () => {
      isClosed = true;
      await restarting;
      await current.gateway.close();
    },
  };
}

const againMs = 200;
