import { expect, test } from "vitest";
import { until } from "../../../testing/deadline.ts";
import { parseBootstrap } from "../config/bootstrap.ts";
import { keepRunning } from "./running.ts";

const parsed = parseBootstrap("", "/etc/portcullis/portcullis.yaml");
const bootstrap = parsed.kind === "ok" ? parsed.bootstrap : undefined!;

/** Gateways that are numbered in the order of their start; those in `failing` cannot start. */
function gateways(failing: readonly number[] = []) {
  const log: string[] = [];
  let count = 0;
  let restart = () => {};
  const running = keepRunning({
    open: async (again) => {
      restart = again;
      const number = ++count;
      if (failing.includes(number)) throw new Error(`gateway ${number} cannot start`);
      log.push(`open ${number}`);
      const close = async () => void log.push(`close ${number}`);
      return { bootstrap, gateway: { listen: async () => "", setupCode: () => undefined, close } };
    },
    undo: () => {
      log.push("undo");
      return true;
    },
    log: { info: () => {}, error: () => {} },
  });
  return { log, running, restart: () => restart() };
}

test("restart: the gateway is closed before the next one opens, and the last one is closed at the end", async () => {
  const { log, running, restart } = gateways();
  const { close } = await running;
  restart();
  restart();
  await until("the third one is open", async () => log.includes("open 3"));
  await close();
  expect(log).toEqual(["open 1", "close 1", "open 2", "close 2", "open 3", "close 3"]);
});

test("restart: a gateway that cannot start with the changed configuration starts with the one from before", async () => {
  const { log, running, restart } = gateways([2]);
  const { close } = await running;
  restart();
  await until("the third one is open", async () => log.includes("open 3"));
  await close();
  expect(log).toEqual(["open 1", "close 1", "undo", "open 3", "close 3"]);
});

test("restart: a first start that fails is not undone, and a closed gateway does not start again", async () => {
  const failed = gateways([1]);
  await expect(failed.running).rejects.toThrow("gateway 1 cannot start");
  expect(failed.log).toEqual([]);
  const { log, running, restart } = gateways();
  const { close } = await running;
  await close();
  restart();
  await close();
  expect(log.filter((it) => it.startsWith("open"))).toEqual(["open 1"]);
});
