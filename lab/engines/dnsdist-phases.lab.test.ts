import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Client, Rule } from "../../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { sinceBootMs } from "../../daemon/src/system/clock.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { soon } from "../dns.ts";
import { openLab } from "../namespaces.ts";
import {
  devices,
  filterPolicyOf,
  frontendProcesses,
  openDnsdistTopology,
  plainFrontend,
  untilAnswered,
} from "../topology-dnsdist.ts";
import { enginesFolder } from "../tunnel-engines.ts";

/* Settings of a client that hold until a time: dnsdist itself ends them, for whatever version of it is installed. */
const names = ["www.site.example. 60 IN A 198.51.100.1", "ads.site.example. 60 IN A 198.51.100.2"];
const rules: readonly Rule[] = [
  { cause: "lab", match: { kind: "exact", name: "ads.site.example" }, action: { kind: "block" } },
];

/** The first device has no rules for a while; the second one, and the first afterwards, have those of everyone. */
const pausedFor = (sec: number, more: object = {}) => {
  const untilSec = sinceBootMs() / 1000 + sec;
  const paused: Client = {
    network: devices[0],
    layers: [0],
    lists: 0,
    log: "full",
    phases: [{ untilSec, layers: [], lists: 0, ...more }],
  };
  return { policy: filterPolicyOf(rules, { clients: [paused] }), endsAt: Date.now() + sec * 1000 };
};

test("a phase of a client ends in dnsdist on time, without a new policy and across a restart of dnsdist, and other clients notice nothing", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf(rules));
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend);
  await untilAnswered(fronts, "www.site.example");
  const { policy, endsAt } = pausedFor(40);
  await fronts.write(policy);
  const both = async () =>
    Promise.all(
      devices.slice(0, 2).map(async (from) => (await fronts.query("ads.site.example", "A", { from })).status),
    );
  expect(await both()).toEqual(["NOERROR", "NXDOMAIN"]);
  const [processId] = frontendProcesses(folder.path);
  linux.signal(-processId!, "SIGKILL");
  await untilAnswered(fronts, "www.site.example");
  expect(await both()).toEqual(["NOERROR", "NXDOMAIN"]);
  await driver.kill();
  await sleep(Math.max(0, endsAt - 8000 - Date.now()));
  expect(await both()).toEqual(["NOERROR", "NXDOMAIN"]);
  await sleep(Math.max(0, endsAt - Date.now()));
  expect(await both()).toEqual(["NXDOMAIN", "NXDOMAIN"]);
});

test("queries of a client go past the external filter while a phase says so, and their answers are not those of other clients", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const driver = await fronts.openDriver();
  fronts.startFilter(devices[1], "www.site.example. 60 IN A 0.0.0.0");
  await driver.want({ ...plainFrontend, external: { address: devices[1], port: 5353 } });
  const answers = async (from: string) =>
    (await fronts.query("www.site.example", "A", { from, flags: [soon] })).records;
  await until("the external filter answers", async () => (await answers(devices[0]))[0] === "A 0.0.0.0", 8);
  const { policy, endsAt } = pausedFor(15, { skipsExternalFilter: true });
  await fronts.write(policy);
  expect(await answers(devices[0])).toEqual(["A 198.51.100.1"]);
  expect(await answers(devices[1])).toEqual(["A 0.0.0.0"]);
  await sleep(Math.max(0, endsAt - Date.now()));
  expect(await answers(devices[0])).toEqual(["A 0.0.0.0"]);
});
