import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Alert } from "@portcullis/contract/subsystems/alerts";
import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { daemonFolder, startDaemon } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

const programs = "ip nft ping openssl env unshare setpriv sysctl conntrack sh".split(" ");

test("alerts: resolvers that cannot start are an alert, which is resolved when they run", async () => {
  using folder = daemonFolder();
  using found = temporaryFolder();
  const install = (name: string) =>
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(found.path, name));
  for (const name of programs) install(name);
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const outside = await lab.host("out");
  for (const [device, address] of [
    ["wan0", "192.0.2.1/24"],
    ["lan0", "10.0.0.1/24"],
  ] as const)
    await lab.cable(
      { host: gateway, device, addresses: [address] },
      { host: outside, device: `to-${device}`, addresses: [] },
    );
  const config = {
    network: { lan_iface: "lan0", wan_iface: "wan0" },
    dns: { enabled: true, upstream_servers: ["192.0.2.2"] },
  };
  const kept = { ...folder, [Symbol.dispose]: () => {} };
  using daemon = await startDaemon(gateway, config, kept, undefined, found.path);
  const alerts = async () =>
    ((await daemon.ok("GET", "/alerts?rule=dns-plane-down")) as Alert[]).map((it) => `${it.state} ${it.severity}`);
  await until("the missing sandbox is an alert", async () => (await alerts()).join() === "active critical", 60);
  install("bwrap");
  await until("it is resolved", async () => (await alerts()).join() === "resolved critical", 120);
  expect(await alerts()).toEqual(["resolved critical"]);
});
