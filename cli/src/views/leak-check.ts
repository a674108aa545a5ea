import type { ResultOf } from "@portcullis/contract/endpoint";
import type { LeakFinding, privacy } from "@portcullis/contract/subsystems/privacy";
import { bad, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { duration, type Reading, words } from "../screen/values.ts";

/** The verdict of a leak check, and each finding with its device. */
export function leakCheckLines(check: ResultOf<typeof privacy.leakCheck>, reading: Reading): Rich[] {
  const took = (Date.parse(check.finished_at) - Date.parse(check.started_at)) / 1000;
  const { devices, unchecked } = check;
  return [
    ...(check.discarded ? [sentence`${bad("Void:")} tunnels or rules changed during the check. Run it again.`] : []),
    sentence`${words("verdict", check.verdict, reading)}: ${devices.length} ${devices.length === 1 ? "device" : "devices"} checked in ${duration(took)}${unchecked > 0 ? `, ${unchecked} not checked` : ""}.`,
    ...check.gateway.map((it) => findingLine("gateway", it)),
    ...devices.flatMap(({ name, verdict, posture, findings }) => [
      sentence`  ${strong(name)}: ${words("verdict", verdict, reading)}, ${words("posture", posture, reading)}`,
      ...findings.map((it) => sentence`  ${findingLine(name, it)}`),
    ]),
    rich("The evidence of each: portcullis leak-check --json"),
  ];
}

const findingLine = (where: string, { severity, cause, message }: LeakFinding): Rich =>
  sentence`  ${severity === "leak" ? bad(severity) : warn(severity)} ${where === "gateway" ? "gateway, " : ""}${cause}: ${message}`;
