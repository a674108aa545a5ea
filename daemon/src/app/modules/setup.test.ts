import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { EnforcementState } from "@portcullis/contract/subsystems/enforcement";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { seenInterface as seen } from "../../../../testing/interfaces.ts";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { parseBootstrap } from "../../config/bootstrap.ts";
import type { Enforcement } from "../../planes/forwarding/enforcement.ts";
import { linux, type System } from "../../system/system.ts";
import { openSetup, undoFailedSetup } from "./setup.ts";

const machine = [seen("enp1s0", { default_gateway_v4: "192.0.2.1" }), seen("enp2s0")];
const body = { wan: "enp1s0", lan: "enp2s0", lan_address: "192.168.50.1/24" } as const;
const text = "# the operator's remark\nnetwork:\n  #wan_iface: eth0\ndataplane:\n  enabled: false # until setup\n";
const call = {
  cause: { actor: "ada", action: "apply_setup", resourceType: "setup" },
  caller: { actor: "ada", role: "admin", via: "session" },
  secure: false,
} as Partial<Call> as Call;

/** A gateway on a machine with two interfaces, whose enforcement is what a test says. */
function opened(changed: Partial<System> = {}) {
  const folder = temporaryFolder();
  const file = join(folder.path, "portcullis.yaml");
  writeFileSync(file, text, { mode: 0o640 });
  mkdirSync(join(folder.path, "state"));
  const parsed = parseBootstrap("paths:\n  state: ./state\n", file);
  if (parsed.kind !== "ok") throw new Error("The file has mistakes");
  const ledger = ledgerInMemory({ dhcp: "at-once", tunnel: "at-once", policy: "on-apply" });
  const log: string[] = [];
  let state: EnforcementState["state"] = "off";
  const enforcement = {
    status: () => ({ state }),
    isGuardedAtBoot: () => false,
    rearm: () => void log.push("rearm"),
    revert: async () => {
      log.push(`revert with ${readFileSync(file, "utf8") === text ? "the old" : "the new"} file`);
      state = "reverted";
    },
  } as unknown as Enforcement;
  const open = () =>
    openSetup({
      bootstrap: parsed.bootstrap,
      ledger,
      system: { ...linux, ...changed },
      restarting: { file, restart: () => {} },
      enforcement,
      access: { setupCode: () => undefined },
      links: { handlers: { interfaces: { list: async () => machine } } },
    }).handlers.setup;
  const setup = open();
  const input = { params: {}, query: {} };
  return {
    ledger,
    file,
    paths: parsed.bootstrap.paths,
    log,
    reopen: open,
    become: (next: EnforcementState["state"]) => void (state = next),
    read: () => readFileSync(file, "utf8"),
    plan: async () => setup.plan({ ...input, body }, call),
    apply: async (more: object = {}) => setup.apply({ ...input, body: { ...body, ...more } }, call),
    cancel: async () => setup.cancel({ ...input, body: undefined }, call),
    show: async () => setup.show({ ...input, body: undefined }, call),
    audited: () => ledger.records.searchAudit({ limit: 100 }).length,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const written = `# the operator's remark
network:
  #wan_iface: eth0
  wan_iface: enp1s0
`;

test("setup: it writes the roles, the address and the range, and keeps comments and mode of the file", async () => {
  using gateway = opened();
  const planned = await gateway.plan();
  expect([gateway.read(), gateway.ledger.staged("dhcp").get("dhcp")]).toEqual([text, undefined]);
  expect(await gateway.apply()).toEqual(planned);
  expect(gateway.read()).toContain("# the operator's remark\nnetwork:\n");
  expect(gateway.read()).toContain("\n  enabled: true # until setup\n");
  expect(gateway.read().split("\n")).toEqual(
    expect.arrayContaining([...written.trim().split("\n"), "  lan_iface: enp2s0", "  lan_address: 192.168.50.1/24"]),
  );
  expect(statSync(gateway.file).mode & 0o777).toBe(0o640);
  expect(gateway.ledger.staged("dhcp").get("dhcp")).toMatchObject({ ranges: [{ first: "192.168.50.100" }] });
  expect([gateway.log, gateway.audited(), (await gateway.show()).can_cancel]).toEqual([["rearm"], 1, true]);
});

test("setup: if the file cannot be written, nothing is changed", async () => {
  let isFull = true;
  const writeAtomically: System["writeAtomically"] = (path, ...rest) => {
    if (isFull && path.endsWith(".yaml")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    linux.writeAtomically(path, ...rest);
  };
  using gateway = opened({ writeAtomically });
  await expect(gateway.apply()).rejects.toThrow("cannot be written (ENOSPC); nothing was changed");
  expect([gateway.read(), gateway.ledger.staged("dhcp").get("dhcp"), gateway.audited()]).toEqual([text, undefined, 0]);
  expect([gateway.log, (await gateway.show()).can_cancel]).toEqual([[], false]);
  isFull = false;
  await gateway.apply();
  expect(gateway.audited()).toBe(1);
});

test("setup: what is cancelled leaves the file byte for byte, and no range", async () => {
  using gateway = opened();
  await gateway.apply();
  gateway.become("provisional");
  expect((await gateway.cancel()).can_cancel).toBe(false);
  expect([gateway.read(), gateway.ledger.staged("dhcp").get("dhcp")]).toEqual([text, undefined]);
  expect(gateway.log).toEqual(["rearm", "revert with the new file", "rearm"]);
  await expect(gateway.cancel()).rejects.toThrow("There is no setup to cancel");
});

test("setup: a second setup before the confirmation is cancelled to the state before the first", async () => {
  using gateway = opened();
  await gateway.apply();
  gateway.become("reverted");
  await gateway.apply({ unknown: "block" });
  expect(gateway.read()).toContain("default_egress: block");
  await gateway.cancel();
  expect(gateway.read()).toBe(text);
});

test("setup: a file that was edited after the setup is not overwritten", async () => {
  using gateway = opened();
  await gateway.apply();
  writeFileSync(gateway.file, `${gateway.read()}# edited\n`);
  await expect(gateway.cancel()).rejects.toThrow("was changed after the setup");
  expect(gateway.read()).toContain("# edited");
});

test("setup: one that waits for its confirmation, and one that was confirmed, are not replaced", async () => {
  using gateway = opened();
  await gateway.apply();
  const before = gateway.read();
  gateway.become("provisional");
  await expect(gateway.apply()).rejects.toThrow("waits for its confirmation");
  gateway.become("confirmed");
  await expect(gateway.apply()).rejects.toThrow("its devices rely on it");
  await expect(gateway.plan()).rejects.toThrow(Problem);
  await expect(gateway.cancel()).rejects.toThrow("its devices rely on it");
  expect(gateway.read()).toBe(before);
  // With the confirmation the old file is forgotten.
  gateway.reopen();
  gateway.become("off");
  expect((await gateway.show()).can_cancel).toBe(false);
});

test("setup: the web interface is opened only where this ends no session", async () => {
  using gateway = opened();
  await expect(gateway.apply({ web_on_lan: true })).rejects.toThrow("must be absent in a session without TLS");
  expect(gateway.read()).toBe(text);
});

test("setup: a daemon that cannot start with what was written gets the old file", async () => {
  using gateway = opened();
  const { file, paths } = gateway;
  expect(undoFailedSetup(linux, { file, paths })).toBe(false);
  await gateway.apply();
  expect(undoFailedSetup(linux, { file, paths })).toBe(true);
  expect(gateway.read()).toBe(text);
});

test("setup: a symbolic link stays one, and the file behind it is written", async () => {
  using gateway = opened();
  using other = temporaryFolder();
  const behind = join(other.path, "behind.yaml");
  writeFileSync(behind, text);
  linux.remove(gateway.file);
  symlinkSync(behind, gateway.file);
  await gateway.apply();
  expect(readFileSync(behind, "utf8")).toContain("wan_iface: enp1s0");
});
