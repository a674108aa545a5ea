import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { basePath } from "@portcullis/contract/api";
import { parseBootstrap } from "../daemon/src/config/bootstrap.ts";
import { createGateway } from "../daemon/src/app/gateway.ts";
import { createLog } from "../daemon/src/app/log.ts";
import { deviceService } from "../daemon/src/subsystems/devices/devices.service.ts";
import { newId } from "../daemon/src/subsystems/resources.ts";
import { linux } from "../daemon/src/system/system.ts";
import { reportCpu } from "./cpu.ts";
import { ledgerIn } from "../testing/ledger-file.ts";
import { sampleDevice } from "./sample.ts";

/** The complete gateway with 10,000 devices, with authentication by API key. */
const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGTERM", () => process.exit(0));
const last = fill(10_000);

const key = randomBytes(24).toString("hex");
const parsed = parseBootstrap(
  JSON.stringify({
    listen: { api_addr: "127.0.0.1:0" },
    paths: { state: folder, run: folder },
    dataplane: { enabled: false },
    auth: { enabled: true, api_keys: [key], local_net: "192.0.2.0/24" },
    limits: { requests_per_minute: 1_000_000 },
  }),
  join(folder, "portcullis.yaml"),
);
if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
const gateway = await createGateway({
  ...parsed,
  system: linux,
  log: createLog("info"),
  now: () => new Date(),
  webFolder: undefined,
  checkAnswers: false,
});
const { port } = new URL(await gateway.listen());
reportCpu();
process.send!({
  port: Number(port),
  header: `Authorization: Bearer ${key}`,
  paths: { one: `${basePath}/devices/${last}`, page: `${basePath}/devices?limit=100` },
});

/** Writes the devices in one change, before the daemon opens its ledger. Returns the id of the last. */
function fill(count: number): string {
  const ledger = ledgerIn(folder);
  const { create } = deviceService({
    ledger,
    now: () => new Date(),
    refuseInUse: () => {},
    seen: { lastSeen: () => () => null },
  });
  const { id, ...example } = create(
    { actor: "bench", action: "create_device", resourceType: "device" },
    sampleDevice(0),
  );
  let last = id;
  ledger.change({ actor: "bench", action: "fill", resourceType: "device" }, (draft) => {
    for (let n = 1; n < count; n++) {
      last = newId();
      const { last_seen: _, ...staged } = { ...example, ...sampleDevice(n), id: last };
      draft.put("device", staged);
    }
  });
  ledger.close();
  return last;
}
