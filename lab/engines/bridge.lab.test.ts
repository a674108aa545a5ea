import { because, sentence } from "@portcullis/contract/reason";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { bridgeEngine } from "../../daemon/src/engines/bridge/bridge.engine.ts";
import type { BridgeLink } from "../../daemon/src/engines/bridge/bridge.model.ts";
import type { System } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { bring } from "../loader.ts";
import { type Host, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

test("bridges: created, forwarding frames between their members, settling, and removed; foreign bridges stay", async () => {
  using folder = temporaryFolder();
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const [left, right] = [await lab.host("left"), await lab.host("right")];
  for (const [index, host] of [left, right].entries())
    await lab.cable(
      { host: gateway, device: `port${index}`, addresses: [] },
      { host, device: "eth0", addresses: [`10.0.0.${index + 2}/24`] },
    );
  await gateway.run("ip", "link", "add", "theirs", "type", "bridge");
  await gateway.run("ip", "address", "add", "10.9.0.1/24", "dev", "port1");
  const open = () => bridgeEngine({ system: inside(gateway), folder: folder.path });
  const engine = open();
  const bridge: BridgeLink = {
    interface: "br0",
    members: ["port0", "port1", "gone"],
    refused: [],
    addresses: ["10.0.0.1/24", "fd00::1/64"],
    stp: false,
  };
  const unmakable = { ...bridge, interface: "a-name-that-is-too-long", members: [], addresses: [] };
  const pending = async (wanted: readonly BridgeLink[]) => engine.changes(wanted, await engine.observe());
  const reaches = async (host: Host, address: string) => {
    await host.run("ip", "neigh", "flush", "dev", "eth0"); // The neighbour may have appeared meanwhile.
    return host.run("ping", "-c", "5", "-i", "0.2", "-W", "5", address).then(
      () => true,
      () => false,
    );
  };

  expect(await reaches(left, "10.0.0.3")).toBe(false);
  await bring(engine, [unmakable, bridge]);
  // The kernel looks for the other end of a cable a little later.
  await until(
    "all members forward",
    async () => (await engine.states([bridge]))[0]!.members.every(({ state }) => state === "forwarding"),
    5,
  );
  const [broken, made] = await engine.states([unmakable, bridge]);
  expect(broken!.problems.map((it) => sentence(it)).join()).toContain("a-name-that-is-too-long");
  expect(made).toMatchObject({
    exists: true,
    up: true,
    carrier: true,
    members: [
      { name: "port0", state: "forwarding" },
      { name: "port1", state: "forwarding" },
    ],
    problems: [{ code: "member_addressed" }, because("member_missing", { member: "gone" })],
  });
  expect([await reaches(left, "10.0.0.3"), await reaches(left, "10.0.0.1")]).toEqual([true, true]);
  expect(await pending([bridge])).toEqual([]);
  expect(await gateway.run("sysctl", "-n", "net.bridge.bridge-nf-call-iptables")).toBe("0\n");

  await gateway.run("ip", "link", "set", "port0", "nomaster");
  await gateway.run("ip", "address", "del", "10.0.0.1/24", "dev", "br0");
  await bring(open(), [bridge]); // By a daemon that knows nothing but the record.
  expect([await reaches(left, "10.0.0.3"), await reaches(left, "10.0.0.1")]).toEqual([true, true]);

  await bring(open(), [{ ...bridge, members: ["port0"] }]);
  expect([await reaches(left, "10.0.0.3"), await reaches(left, "10.0.0.1")]).toEqual([false, true]);

  await bring(open(), []);
  expect(await gateway.run("ip", "-br", "link", "show", "type", "bridge")).toMatch(/^theirs\s[^\n]*\n$/);
  expect(await gateway.run("ip", "-br", "address", "show", "dev", "port1")).toContain("10.9.0.1/24");
});

/** Kernel settings are those of the reader's namespace. */
const inside = (host: Host): System => ({
  ...systemOn(host),
  readText: (path) =>
    path.startsWith("/proc/")
      ? execFileSync("ip", ["netns", "exec", host.namespace, "cat", path], { encoding: "utf8" })
      : systemOn(host).readText(path),
});
