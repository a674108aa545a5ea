import type { CheckedDevice, LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { worstOf } from "./assess.ts";
import type { Checked } from "./check.ts";

/** Adds the result of a batch. Devices of a discarded batch count as unchecked: nothing is known about them. */
export function withBatch(before: Checked | undefined, batch: Checked, size: number): Checked {
  const added = batch.check.discarded
    ? { ...batch, check: { ...batch.check, devices: [], gateway: [], unchecked: size, verdict: "no-leak" as const } }
    : { ...batch, check: { ...batch.check, devices: batch.check.devices.map(withoutEvidence) } };
  if (!before) return added;
  const [one, other] = [before.check, added.check];
  const known = new Set(one.gateway.map(({ cause, message }) => `${cause} ${message}`));
  const gateway = [...one.gateway, ...other.gateway.filter(({ cause, message }) => !known.has(`${cause} ${message}`))];
  const check: LeakCheck = {
    ...one,
    finished_at: other.finished_at,
    devices: [...one.devices, ...other.devices],
    unchecked: one.unchecked + other.unchecked,
    gateway,
    verdict: worstOf([one.verdict, other.verdict]),
    discarded: one.discarded && other.discarded,
  };
  return { check, echoes: [...before.echoes, ...added.echoes] };
}

/** Ten thousand devices would have megabytes of it. A check of one device has it again. */
const withoutEvidence = (device: CheckedDevice): CheckedDevice =>
  ["leaking", "at-risk"].includes(device.verdict) ? device : { ...device, evidence: [] };
