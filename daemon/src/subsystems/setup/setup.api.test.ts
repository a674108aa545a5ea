import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { readLinks } from "../../system/network.ts";
import { linux } from "../../system/system.ts";

/** Interfaces that this machine has, whatever they are. */
const names = readLinks(linux).map(({ name }) => name);
const absent = { wan: "absent0", lan: "absent1", lan_address: "192.168.50.1/24" };
const remark = "# the operator's remark";

/** With a file in blocks and a comment in it. */
async function configured(more = ""): Promise<TestGateway> {
  const gateway = await startGateway();
  writeFileSync(
    gateway.file,
    `${remark}\nlisten:\n  api_addr: 127.0.0.1:0\npaths:\n  state: ./state\n  run: ./run\ndataplane:\n  enabled: false\n${more}`,
  );
  return gateway.reopen();
}

/** What a refused setup must not change. */
const stateOf = async (gateway: TestGateway) => ({
  file: readFileSync(gateway.file, "utf8"),
  revision: (await gateway.client.status.status()).revision,
  ranges: await gateway.client.dhcp.get(),
  setups: (await gateway.client.audit.list()).items.filter(({ action }) => action.endsWith("_setup")),
  restarts: gateway.restarts(),
});

test("setup: what is missing and which interfaces the machine has", async () => {
  await using gateway = await configured();
  const state = await gateway.client.setup.show();
  expect(state.steps).toMatchObject({ network: false, confirmation: false, account: false, tunnel: false });
  expect(state.settings).toMatchObject({
    wan: "eth0",
    lan: "eth1",
    lan_address: null,
    unknown: "direct",
    enabled: false,
  });
  expect([state.web_address, state.refusal, state.can_cancel]).toEqual([null, "", false]);
  expect(state.interfaces.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(state.interfaces.find(({ name }) => name === "lo")?.usable).toBe(false);
  const proposed = state.interfaces.find(({ name }) => name === state.suggestion.lan.interface);
  expect(proposed?.free_address ?? null).toBe(state.suggestion.lan_address);
});

test("setup: interfaces that do not exist are refused by plan and apply, with those that exist, and nothing changes", async () => {
  await using gateway = await configured();
  const before = await stateOf(gateway);
  const usable = (await gateway.client.setup.show()).interfaces.filter((it) => it.usable).map(({ name }) => name);
  for (const [method, path] of [
    ["POST", "/setup/plan"],
    ["PUT", "/setup"],
  ] as const) {
    const { status, text } = await gateway.request(method, path, { body: absent });
    expect(status).toBe(400);
    expect(text).toContain(
      `must be one of the interfaces of this machine: ${usable.join(", ") || "none"}; not absent0`,
    );
  }
  expect(await stateOf(gateway)).toEqual(before);
});

test("setup: without a setup there is nothing to cancel", async () => {
  await using gateway = await configured();
  const { status, text } = await gateway.request("DELETE", "/setup");
  expect([status, text]).toEqual([409, expect.stringContaining("There is no setup to cancel")]);
  expect(gateway.restarts()).toBe(0);
});

test("setup: only an admin plans, applies and cancels", async () => {
  const keys = ["viewer", "operator", "admin"].map(
    (role) => `{key: a-key-of-the-${role}, role: ${role}, name: ${role}}`,
  );
  await using gateway = await configured(`auth:\n  enabled: true\n  local_net: ""\n  api_keys: [${keys.join(", ")}]\n`);
  const status = async (method: string, path: string, role: string) =>
    (
      await gateway.request(method, path, {
        headers: { authorization: `Bearer a-key-of-the-${role}` },
        ...(method === "DELETE" || method === "GET" ? {} : { body: absent }),
      })
    ).status;
  expect([await status("GET", "/setup", "viewer"), await status("POST", "/setup/plan", "operator")]).toEqual([
    200, 403,
  ]);
  expect([await status("PUT", "/setup", "operator"), await status("PUT", "/setup", "admin")]).toEqual([403, 400]);
  expect([await status("DELETE", "/setup", "operator"), await status("DELETE", "/setup", "admin")]).toEqual([403, 409]);
});

test("setup: a gateway without a configuration file refuses, and says so before", async () => {
  await using gateway = await startGateway();
  expect((await gateway.client.setup.show()).refusal).toContain("without a configuration file");
  expect((await gateway.request("PUT", "/setup", { body: absent })).status).toBe(409);
});

test("setup: a gateway whose file was deleted or has mistakes refuses, and says where", async () => {
  await using gateway = await configured();
  writeFileSync(gateway.file, "network:\n  wan: eth0\n");
  const { status, text } = await gateway.request("PUT", "/setup", { body: absent });
  expect([status, text]).toEqual([409, expect.stringContaining("portcullis.yaml:2:3")]);
  rmSync(gateway.file);
  expect((await gateway.request("GET", "/setup")).status).toBe(200);
  writeFileSync(gateway.file, `${remark}\n`);
  expect(statSync(gateway.file).isFile()).toBe(true);
});
