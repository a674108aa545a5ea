import { everybodyProtected, type Found, whose } from "./finding.ts";

/** Something that was changed behind our back and has been put right while we looked. */
export interface Healed {
  readonly type: string;
  readonly resource: string;
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly at: string;
}

/** What the reconciler found meanwhile, where somebody might leak by it. */
export const healedFindings = (healed: readonly Healed[]): Found[] =>
  healed.filter((it) => !isOutage(it)).map(healedFinding);

/** A way that was gone, with nothing in its place, was blocked: tunnels take theirs with them when they go, and come again. */
const isOutage = ({ type, expected, actual }: Healed): boolean =>
  type === "iproute" && actual === null && expected?.startsWith("default ") === true;

const causes: Readonly<Record<string, Found["cause"]>> = {
  guard: "guard-missing",
  protection: "guard-missing",
  release: "guard-missing",
  iproute: "wrong-route",
  steering: "steering-changed",
  proxies: "dns-in-the-clear",
  sysctl: "kernel-settings",
};

function healedFinding({ type, resource, field, expected, actual, at }: Healed): Found {
  const table = /(?:table|lookup) (\d+)/.exec(field)?.[1];
  const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/.exec(field)?.[0];
  return {
    cause: causes[type] ?? "kernel-settings",
    message: `Somebody changed ${resource} while the check ran; it has been put right`,
    evidence: [
      {
        what: `The reconciler's look at ${at}: ${resource} ${field}`,
        expected: expected ?? "nothing",
        found: actual ?? "nothing",
      },
    ],
    concerns:
      mac !== undefined
        ? (subject) => subject.mac === mac
        : table !== undefined && Number(table) < 7240
          ? whose(({ egresses }) => egresses.some((it) => 7000 + it === Number(table)))
          : everybodyProtected,
    ...(mac === undefined && table === undefined && { isOfGateway: true as const }),
  };
}
