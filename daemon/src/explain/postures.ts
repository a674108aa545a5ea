import { because, explained, type Explained, type Reason } from "@portcullis/contract/reason";
import type { Postures } from "@portcullis/contract/subsystems/routing";
import { decide } from "../compiler/policy/decide.ts";
import { exceptionIdOf } from "../compiler/policy/exceptions.ts";
import { decisionOn } from "../compiler/policy/evaluate.ts";
import { factsFor } from "../compiler/input/facts.ts";
import { type MatrixSubject, firstExposed, unknownDevice, packetsOn, postureOf } from "./leak-matrix.ts";
import { outcomeNames, type PolicyOutcome } from "./egress.ts";
import { intentAt, type Sources } from "./sources.ts";

/** Small enough for a slow machine to handle other requests in between. */
const devicesAtATime = 250;

/** Postures, each with its reason. */
interface ExplainedPostures extends Omit<Postures, "devices"> {
  /** What each policy does now, in order of rank. */
  readonly policies: readonly { readonly id: string; readonly name: string; readonly outcome: PolicyOutcome }[];
  readonly devices: readonly (Postures["devices"][number] & Explained<Reason>)[];
}

/** Which devices are protected, blocked or exposed now. */
export function postureAnswers({ network, exceptions, observedState, published, pause, now }: Sources) {
  async function explainedPostures(): Promise<ExplainedPostures> {
    const resources = published();
    const intent = intentAt(resources, network(), exceptions(), now());
    const observed = await observedState();
    const decisions = decide(intent, factsFor(intent, observed, {}));
    const packetsOf = packetsOn(intent.network, observed.links);
    const deviceNames = new Map(resources.device.map(({ id, name }) => [id, name]));
    const policyNames = new Map(resources.routing_policy.map(({ id, name }) => [id, name]));
    const postureFor = (subject: MatrixSubject) =>
      firstExposed(
        packetsOf(subject).map((packet) => {
          const { outcome, policyId = null, exception } = decisionOn(packet, decisions, intent);
          return {
            posture: postureOf(outcome, intent.network),
            policy_id: policyId,
            policy_name: policyId === null ? null : (policyNames.get(policyId) ?? policyId),
            exception_id: exceptionIdOf(exception),
            ...explained(decisionReason(outcome.reason, policyId === null ? undefined : policyNames.get(policyId))),
          };
        }),
      );
    const devices: ExplainedPostures["devices"][number][] = [];
    for (const [index, device] of intent.devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)).entries()) {
      if (index % devicesAtATime === devicesAtATime - 1) await pause();
      devices.push({
        device_id: device.id,
        device_name: deviceNames.get(device.id) ?? device.id,
        ...postureFor(device),
      });
    }
    const count = (posture: string) => devices.filter((it) => it.posture === posture).length;
    return {
      protected: count("protected"),
      blocked: count("blocked"),
      exposed: count("exposed"),
      unknown_device: postureFor(unknownDevice).posture,
      policies: decisions.ranked.map(({ policy: { id }, outcome }) => ({
        id,
        name: policyNames.get(id) ?? id,
        outcome: outcomeNames[outcome.kind],
      })),
      devices,
    };
  }
  return {
    explainedPostures,
    postures: async (): Promise<Postures> => {
      const { devices, policies: _policies, ...rest } = await explainedPostures();
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

const decisionReason = (why: Reason, policy: string | undefined): Reason =>
  policy === undefined ? why : because("policy_decides", { policy, why });
