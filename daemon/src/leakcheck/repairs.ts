import { because, literal, type Reason } from "@portcullis/contract/reason";
import type { Desired } from "../compiler/compile.ts";
import { evidence, isProtected, type Finding, anyOrigin } from "./finding.ts";

/** A foreign change that the reconciler repaired during the check. */
export interface Repair {
  readonly type: string;
  readonly resource: string;
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly at: string;
}

/** Repairs of changes by which a device might have leaked. */
export const repairFindings = (repairs: readonly Repair[]): Finding[] =>
  repairs.filter((it) => it.type !== recording && !isMissingRoute(it)).map(repairFinding);

/** Its table records connections, and stops no packet. */
const recording = "scans" satisfies keyof Desired;

/** A missing route with no other in its place blocks: a tunnel that goes down takes its route with it. */
const isMissingRoute = ({ type, expected, actual }: Repair): boolean =>
  type === "iproute" && actual === null && expected?.startsWith("default ") === true;

/** By engine. */
const causes = {
  guard: "guard-missing",
  protection: "guard-missing",
  release: "guard-missing",
  iproute: "wrong-route",
  steering: "steering-changed",
  redirect: "dns-in-the-clear",
  sysctl: "kernel-settings",
} satisfies Readonly<Record<Exclude<keyof Desired, typeof recording>, Finding["cause"]>>;

const isOfForwarding = (type: string): type is keyof typeof causes => type in causes;

function repairFinding({ type, resource, field, expected, actual, at }: Repair): Finding {
  const table = /(?:table|lookup) (\d+)/.exec(field)?.[1];
  const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/.exec(field)?.[0];
  return {
    cause: isOfForwarding(type) ? causes[type] : "kernel-settings",
    message: because("leak_repaired", { resource }),
    evidence: [evidence(because("check_reconciled", { at, resource, field }), orNothing(expected), orNothing(actual))],
    appliesTo:
      mac !== undefined
        ? (subject) => subject.mac === mac
        : table !== undefined && Number(table) < 7240
          ? anyOrigin(({ egresses }) => egresses.some((it) => 7000 + it === Number(table)))
          : isProtected,
    ...(mac === undefined && table === undefined && { isOfGateway: true as const }),
  };
}

const orNothing = (value: string | null): Reason => (value === null ? because("seen_nothing") : literal(value));
