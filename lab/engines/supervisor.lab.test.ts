import { expect, test } from "vitest";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder, supervisedIn, pathsContaining, startTunnelEngines } from "../tunnel-engines.ts";
import { openLab } from "../namespaces.ts";

const secret = "a-secret-that-stays-hidden";
const sleeper = { name: "lab.sleeper", command: "sleep", args: ["1000"], stdin: secret };

test("children outlive the daemon that started them, are adopted by the next, and come back when they die", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const host = await lab.host("gw");
  const pids = () => supervisedIn(folder.path).map(({ processId }) => processId);
  // A process that has just been started is not found in the moment in which it becomes another program.
  const started = async () => {
    let found = pids();
    await until("a child is found", async () => (found = pids()).length > 0, 3);
    return found;
  };

  const first = await startTunnelEngines(host, folder.path);
  await first.want({ children: [sleeper] });
  const [processId, ...others] = await started();
  expect(others).toEqual([]);
  await first.kill();
  expect(linux.processStart(processId!)).toBeDefined();

  const second = await startTunnelEngines(host, folder.path);
  await second.want({ children: [sleeper] });
  expect(pids()).toEqual([processId]);

  linux.signal(processId!, "SIGKILL");
  let [next] = pids();
  await until(
    "another process runs",
    async () => {
      [next] = pids(); // Read once: between two reads the old one may end before the new one exists.
      return next !== undefined && next !== processId;
    },
    3,
  );
  linux.signal(next!, "SIGKILL");
  await until(
    "the second death is counted, and one process runs",
    async () => (await second.processes())[0]?.crashes === 2 && pids().length === 1,
    3,
  );

  expect(pathsContaining([secret], folder.path)).toEqual([]);
  expect(pathsContaining(["lab.sleeper"], folder.path)).not.toEqual([]);
  await second.want({ children: [{ ...sleeper, args: ["1001"] }] });
  expect(await started()).toHaveLength(1);
  await second.want({ children: [] });
  expect(pids()).toEqual([]);
});

test("a daemon that is killed at any moment of a start leaves at most one child, and the next one finds it", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const host = await lab.host("gw");
  for (let round = 0; round < 8; round += 1) {
    const victim = await startTunnelEngines(host, folder.path);
    const pending = victim.want({ children: [{ ...sleeper, args: [String(1000 + round)] }] }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    await victim.kill();
    await pending;
    expect(supervisedIn(folder.path).length).toBeLessThanOrEqual(1);
  }
  const last = await startTunnelEngines(host, folder.path);
  await last.want({ children: [sleeper] });
  let kept = supervisedIn(folder.path);
  await until("a child is found", async () => (kept = supervisedIn(folder.path)).length > 0, 3);
  expect(kept).toHaveLength(1);
  expect((await last.processes()).map(({ condition }) => condition.kind)).toEqual(["running"]);
});
