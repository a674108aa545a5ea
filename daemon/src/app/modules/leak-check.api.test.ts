import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string }) => problem.code,
  );

test("leak check: where nothing is driven nothing can be proved, and the check says so instead of praising the gate", async () => {
  await using gateway = await startGateway();
  const { privacy, devices, audit } = gateway.client;
  await devices.create({ body: { name: "Phone", mac: "02:00:00:00:00:01" } });
  expect(await refused(privacy.leakCheck())).toBe("conflict");
  expect(await refused(privacy.leakCheck({ body: { device_id: "Phone" } }))).toBe("conflict");
  expect(await refused(privacy.leakCheck({ body: { device_id: "Unknown" } }))).toBe("not_found");
  expect(await privacy.leakMonitor()).toMatchObject({ counting_since: null, attempts: [], last_check: null });
  const written = (await audit.list()).items.map(({ action }) => action);
  expect(written).toEqual(["run_leak_check", "run_leak_check", "create_device"]); // The request is audited.
});
