import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

test("interfaces: listed without a dataplane, each with its role", async () => {
  await using gateway = await startGateway({ config: { network: { lan_iface: "lo", wan_iface: "absent0" } } });
  const { interfaces, uplinks } = gateway.client;
  const shown = await interfaces.list();
  const loopback = shown.find(({ name }) => name === "lo");
  expect(loopback).toMatchObject({ kind: "loopback", role: "lan", mac: null, speed_mbps: null, up: true });
  expect(loopback?.addresses).toContain("127.0.0.1/8");
  expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(networkInterfaces())));
  const others = shown.filter(({ name }) => name !== "lo");
  expect(others.filter(({ role }) => role === "lan" || role === "uplink")).toEqual([]);

  const [other] = others;
  await uplinks.put({
    body: {
      uplinks: [
        { name: "absent", interface: "absent0" },
        { name: "other", interface: other?.name ?? "absent1" },
      ],
    },
  });
  const after = (await interfaces.list()).filter(({ role }) => role === "uplink");
  expect(after.map(({ name }) => name)).toEqual(other ? [other.name] : []);
});

test("interfaces: a caller without the viewer role is refused", async () => {
  const keys = ["a-key-of-an-admin"];
  await using gateway = await startGateway({
    config: { auth: { enabled: true, local_net: "10.99.0.0/16", api_keys: keys } },
  });
  const ask = async (headers = {}) => (await gateway.request("GET", "/system/interfaces", { headers })).status;
  expect([await ask(), await ask({ authorization: `Bearer ${keys[0]}` })]).toEqual([401, 200]);
});
