import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import { newId } from "../daemon/src/subsystems/resources.ts";
import { ledgerIn } from "../testing/ledger-file.ts";
import { sampleDevice, samplePolicySource } from "./sample.ts";

/*
 * Writes 10,000 devices and 10,000 policies of all sorts, in random order, into a new ledger, and publishes them. A
 * separate program, so that its memory does not count for the daemon.
 */
const folder = process.argv[2]!;
const count = 10_000;
const ledger = ledgerIn(folder);
const cause = { actor: "bench", action: "fill", resourceType: "device" };
const groupIds = Array.from({ length: count / 20 }, newId);
const deviceIds = Array.from({ length: count }, newId);
const policyIds = Array.from({ length: count }, newId);
const priorities = policyIds.map(() => 1 + Math.floor(Math.random() * 1000));
const blank = { state: "known", trust_class: null, privacy_class: null, profile_id: null };
ledger.change(cause, (draft) => {
  for (const [n, id] of groupIds.entries())
    draft.put("device_group", { id, name: `Group ${n}`, description: "" } as { id: string });
  for (const [n, id] of deviceIds.entries()) {
    const first_seen = new Date(0).toISOString();
    draft.put("device", {
      ...blank,
      ...sampleDevice(n),
      id,
      group_ids: [groupIds[n % groupIds.length]!],
      first_seen,
    } as { id: string });
  }
  for (const [n, id] of policyIds.entries()) {
    const policy: Policy = {
      ...samplePolicySource(n, deviceIds, groupIds),
      id,
      name: `Policy ${n}`,
      priority: priorities[n]!,
      enabled: true,
      hops: [{ type: "vpn", target: `t${1 + (n % 3)}` }],
      fail_policy: "fail-closed",
      splitting: false,
      profile_id: null,
    };
    draft.put("routing_policy", policy);
  }
});
ledger.releases.apply(cause);
ledger.close();
const byPriority = policyIds
  .map((id, n) => ({ id, priority: priorities[n]! }))
  .toSorted((a, b) => b.priority - a.priority);
writeFileSync(
  join(folder, "ids.json"),
  JSON.stringify({ deviceIds, lastPolicyIds: byPriority.slice(0, 100).map(({ id }) => id) }),
);
