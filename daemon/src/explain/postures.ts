import type { Postures } from "@portcullis/contract/subsystems/routing";
import { decide } from "../compiler/policy/decide.ts";
import { decisionOn } from "../compiler/policy/evaluate.ts";
import { factsFor } from "../compiler/input/facts.ts";
import { intentOf } from "../compiler/input/read-document.ts";
import { type MatrixSubject, firstExposed, unknownDevice, packetsOn, postureOf } from "./leak-matrix.ts";
import type { Sources } from "./sources.ts";

/** Few enough for a slow machine to have time for others between them. */
const devicesAtATime = 250;

/** Postures, each with why it is so in a sentence. */
interface ExplainedPostures extends Omit<Postures, "devices"> {
  readonly devices: readonly (Postures["devices"][number] & { readonly reason: string })[];
}

/** Who is protected, shut or exposed now: of everybody at once, since that is what one looks at first. */
export function postureAnswers({ network, exceptions, observedState, published, pause }: Sources) {
  async function explainedPostures(): Promise<ExplainedPostures> {
    const resources = published();
    const intent = intentOf(resources, network(), exceptions());
    const world = await observedState();
    const decisions = decide(intent, factsFor(intent, world, {}));
    const packetsOf = packetsOn(intent.network, world.links);
    const deviceNames = new Map(resources.device.map(({ id, name }) => [id, name]));
    const policyNames = new Map(resources.routing_policy.map(({ id, name }) => [id, name]));
    const rule = (asked: MatrixSubject) =>
      firstExposed(
        packetsOf(asked).map((packet) => {
          const { outcome, policyId = null, exception } = decisionOn(packet, decisions, intent);
          return {
            posture: postureOf(outcome, intent.network),
            policy_id: policyId,
            policy_name: policyId === null ? null : (policyNames.get(policyId) ?? policyId),
            exception_id: exception?.id ?? null,
            reason: sentence(outcome.reason, policyId === null ? undefined : policyNames.get(policyId)),
          };
        }),
      );
    const devices: ExplainedPostures["devices"][number][] = [];
    for (const [place, device] of intent.devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)).entries()) {
      if (place % devicesAtATime === devicesAtATime - 1) await pause();
      devices.push({ device_id: device.id, device_name: deviceNames.get(device.id) ?? device.id, ...rule(device) });
    }
    const count = (posture: string) => devices.filter((it) => it.posture === posture).length;
    return {
      protected: count("protected"),
      blocked: count("blocked"),
      exposed: count("exposed"),
      unknown_device: rule(unknownDevice).posture,
      devices,
    };
  }
  return {
    explainedPostures,
    postures: async (): Promise<Postures> => {
      const { devices, ...rest } = await explainedPostures();
      return {
        ...rest,
        devices: devices.map(({ device_id, device_name, posture, policy_id, policy_name, exception_id }) => ({
          device_id,
          device_name,
          posture,
          policy_id,
          policy_name,
          exception_id,
        })),
      };
    },
  };
}

const sentence = (reason: string, policy: string | undefined): string =>
  policy === undefined ? reason.charAt(0).toUpperCase() + reason.slice(1) : `The policy ${policy} decides: ${reason}`;
