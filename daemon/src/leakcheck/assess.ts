import { because, clause, explainedAs, literal, type Reason, reported } from "@portcullis/contract/reason";
import type { CheckedDevice, LeakCheck, LeakFinding } from "@portcullis/contract/subsystems/privacy";
import type { Link } from "../compiler/input/facts.ts";
import { type IntentException, outsideOf } from "../compiler/input/intent.ts";
import type { ProbeRun } from "./spoofed-probes.ts";
import { audit, mayMatch, type Wanted } from "./audit.ts";
import { type Echo, echoEvidence, echoFindings } from "./echo.ts";
import { type Evidence, evidence, type Finding } from "./finding.ts";
import { type Repair, repairFindings } from "./repairs.ts";
import { type Kernel, routeGetArguments } from "./kernel.ts";
import type { QueriedRoute } from "./route-queries.ts";
import type { Origin, Subject } from "./subjects.ts";

export interface Observations {
  readonly wanted: Wanted;
  /** At several moments, to catch short states. */
  readonly kernels: readonly Kernel[];
  /** For each origin: with each of its marks, and without. */
  readonly routes: ReadonlyMap<Origin, readonly QueriedRoute[]>;
  readonly probeRun: ProbeRun;
  readonly echoes: readonly Echo[];
  readonly learned: (via: string) => readonly string[];
  readonly repaired: readonly Repair[];
  readonly nowMs: number;
}

/** The caller adds the time. */
type AssessedDevice = Omit<CheckedDevice, "checked_at">;

export interface Assessment {
  readonly devices: readonly AssessedDevice[];
  readonly gateway: readonly LeakFinding[];
  readonly verdict: LeakCheck["verdict"];
}

/** Observations → devices that leak, devices that would leak if one more layer failed, and the causes. */
export function assess(subjects: readonly Subject[], observations: Observations): Assessment {
  const { wanted, kernels, echoes, learned, repaired, nowMs } = observations;
  const outside = outsideOf(wanted.intent.network);
  const audited = kernels.flatMap((kernel) => audit(wanted, kernel, nowMs));
  const seen = new Set(audited.map(({ cause }) => cause));
  const found = distinct([
    ...audited,
    ...echoFindings(wanted, echoes, learned),
    // The audit itself is more exact about the devices concerned.
    ...repairFindings(repaired).filter(({ cause }) => !seen.has(cause)),
    ...wanted.intent.exceptions.flatMap(exceptionFindings),
    ...probeFailureFindings(observations.probeRun),
  ]);
  const devices = subjects.map((subject) => assessDevice(subject, found, observations, outside));
  const anySeen = devices.some(({ findings }) => findings.some(({ cause }) => cause === "seen-outside"));
  const gateway = found.filter((it) => it.isOfGateway).map((it) => finding(it, anySeen));
  return { devices, gateway, verdict: worstOf([...devices.map((it) => it.verdict), verdictOf(gateway)]) };
}

/** Of several devices. An intended exposure does not count. */
export const worstOf = (verdicts: readonly CheckedDevice["verdict"][]): LeakCheck["verdict"] =>
  (["leaking", "at-risk"] as const).find((it) => verdicts.includes(it)) ?? "no-leak";

/** Per cause. */
const maxFindings = 100;

/** A finding of several moments is reported once. */
function distinct(found: readonly Finding[]): Finding[] {
  const known = new Map<string, Finding>();
  for (const it of found) {
    const key = `${it.cause} ${clause(it.message)} ${it.of ?? ""}`;
    if (!known.has(key)) known.set(key, it);
  }
  return [...Map.groupBy(known.values(), ({ cause }) => cause).values()].flatMap((all) => all.slice(0, maxFindings));
}

function assessDevice(
  subject: Subject,
  found: readonly Finding[],
  observations: Observations,
  outside: readonly string[],
): AssessedDevice {
  const { probeRun, echoes } = observations;
  const results = probeRun.byDevice.get(subject.id) ?? [];
  const seen = results.filter(
    ({ source, left }) =>
      left.some((name) => outside.includes(name)) &&
      subject.origins.some((it) => it.address === source && it.posture !== "exposed"),
  );
  const isSeen = seen.length > 0;
  const findings = [
    ...exposures(subject),
    ...seen.map(
      ({ family, source, destination, left }): LeakFinding => ({
        cause: "seen-outside",
        severity: "leak",
        ...explainedAs("message", because("leak_probe_left", { family, interfaces: left })),
        evidence: [evidence(probe(subject, source, destination), noUplink, leftBy(left))],
      }),
    ),
    ...found.filter((it) => it.appliesTo(subject)).map((it) => finding(it, isSeen)),
    ...routeFindings(subject, observations, outside, isSeen),
    ...ipv6Findings(subject, observations, outside, seen),
    ...results.flatMap((it): LeakFinding[] => {
      const origin = subject.origins.find(({ address }) => address === it.source)!;
      const unexpected = it.left.filter((name) => !outside.includes(name) && !origin.interfaces.includes(name));
      return unexpected.length === 0
        ? []
        : [
            {
              cause: "wrong-route",
              severity: "risk",
              ...explainedAs("message", because("leak_probe_left", { family: it.family, interfaces: unexpected })),
              evidence: [
                evidence(
                  probe(subject, it.source, it.destination),
                  origin.interfaces.length > 0 ? literal(origin.interfaces.join(", ")) : because("seen_no_interface"),
                  literal(unexpected.join(", ")),
                ),
              ],
            },
          ];
    }),
  ];
  return {
    device_id: subject.id,
    name: subject.name,
    posture: subject.posture,
    verdict: verdictOf(findings),
    findings,
    evidence: [
      ...probeEvidence(subject, probeRun, outside),
      ...routeEvidence(subject, observations),
      flowsEvidence(observations),
      ...echoEvidence(echoes, subject),
    ],
  };
}

function verdictOf(findings: readonly LeakFinding[]): CheckedDevice["verdict"] {
  const has = (wanted: LeakFinding["severity"]): boolean => findings.some(({ severity }) => severity === wanted);
  return has("leak") ? "leaking" : has("risk") ? "at-risk" : has("intended") ? "direct" : "no-leak";
}

const finding = (found: Finding, isSeen: boolean): LeakFinding => ({
  cause: found.cause,
  severity: found.severity ?? (isSeen ? "leak" : "risk"),
  ...explainedAs("message", found.message),
  evidence: [...found.evidence],
});

/** What leaves in the clear because a policy or an exception allows it; a fallback is reported by `policy.direct_fallback`. */
function exposures({ origins }: Subject): LeakFinding[] {
  const exposed = origins.filter(({ posture }) => posture === "exposed");
  const worst = exposed.find(({ isFallback }) => isFallback) ?? exposed[0];
  if (!worst) return [];
  const { exceptionId, isPaused, policyId, isFallback, reason, interfaces, family } = worst;
  return [
    {
      cause: isFallback
        ? "direct-fallback"
        : exceptionId === null
          ? "exposed-by-policy"
          : isPaused
            ? "exposed-by-pause"
            : "exposed-by-exception",
      severity: "intended",
      ...explainedAs("message", because("leak_direct", { interfaces, why: reason })),
      evidence: [
        evidence(
          because("check_policies", { family }),
          because("seen_tunnel_or_blocked"),
          exceptionId !== null
            ? because(isPaused ? "seen_pause" : "seen_exception", { id: exceptionId })
            : policyId !== null
              ? because("seen_policy", { id: policyId })
              : because("seen_no_policy"),
        ),
      ],
    },
  ];
}

/** An exception for some destinations. */
const exceptionFindings = ({ id, effect, deviceId, destinations, type }: IntentException): Finding[] =>
  effect !== "direct" || destinations.length === 0
    ? []
    : [
        {
          cause: "exposed-by-exception",
          severity: "intended",
          message: because("leak_exception", { type, destinations }),
          evidence: [
            evidence(because("check_exceptions"), because("seen_none"), because("seen_exception", { id: id ?? type })),
          ],
          appliesTo: (subject) => subject.id === deviceId,
        },
      ];

/** Without probes the check rests on configuration alone. */
const probeFailureFindings = ({ failure }: ProbeRun): Finding[] =>
  failure === undefined
    ? []
    : [
        {
          cause: "kernel-settings",
          severity: "risk",
          message: because("leak_without_probes"),
          evidence: [evidence(because("check_probes"), because("seen_each_arrives"), reported(failure))],
          appliesTo: () => false,
          isOfGateway: true,
        },
      ];

const probe = ({ mac }: Subject, source: string, destination: string): Reason =>
  because("check_probe", { mac: mac === null ? because("any_mac") : literal(mac), source, destination });

const noUplink = because("seen_no_uplink");
const leftBy = (interfaces: readonly string[]): Reason => because("seen_left", { interfaces });

function probeEvidence(subject: Subject, { byDevice, failure }: ProbeRun, outside: readonly string[]): Evidence[] {
  const results = byDevice.get(subject.id) ?? [];
  if (results.length === 0)
    return [
      evidence(
        because("check_own_probe"),
        noUplink,
        because("seen_not_sent", { why: failure === undefined ? because("seen_no_address") : reported(failure) }),
      ),
    ];
  return results
    .filter(({ left }) => !left.some((name) => outside.includes(name)))
    .map(({ source, destination, left }) =>
      evidence(
        probe(subject, source, destination),
        noUplink,
        left.length === 0 ? because("seen_blocked") : leftBy(left),
      ),
    );
}

function flowsEvidence({ kernels }: Observations): Evidence {
  const { flows } = kernels[0]!;
  return evidence(
    literal("conntrack -L"),
    because("seen_no_flow"),
    typeof flows === "string"
      ? because("seen_not_read", { message: flows })
      : because("seen_flows", { flows: flows.length }),
  );
}

const isAsExpected = ({ answer, query }: QueriedRoute, { interfaces }: Origin): boolean =>
  answer.kind === "none" || (query.mark !== null && interfaces.includes(answer.interface));

const queryOf = ({ query }: QueriedRoute): Reason => literal(`ip ${routeGetArguments(query).join(" ")}`);

const noRoute = because("seen_no_route");

const expectedRoute = ({ query }: QueriedRoute, { interfaces }: Origin): Reason =>
  query.mark === null || interfaces.length === 0 ? noRoute : because("seen_device_or_none", { interfaces });

const foundRoute = ({ answer }: QueriedRoute): Reason => (answer.text === "" ? noRoute : reported(answer.text));

/** Routes in the kernel that no decision allows. */
function routeFindings(
  subject: Subject,
  { routes, kernels, wanted }: Observations,
  outside: readonly string[],
  isSeen: boolean,
) {
  return subject.origins
    .filter(({ posture }) => posture !== "exposed")
    .flatMap((origin) => {
      const wrong = (routes.get(origin) ?? []).filter((it) => !isAsExpected(it, origin) && leavesGateway(it, wanted));
      if (wrong.length === 0) return [];
      const isForeign = kernels.some(({ rules }) =>
        rules.some(
          (rule) => rule.priority < 6990 && rule.priority > 0 && !rule.isForOwnPackets && mayMatch(rule, origin),
        ),
      );
      const found = [...new Set(wrong.map(({ answer }) => answer.text))];
      const isGuarded =
        !isSeen && wrong.some(({ answer }) => answer.kind === "route" && outside.includes(answer.interface));
      return [
        {
          cause: isForeign ? ("foreign-rule" as const) : ("wrong-route" as const),
          severity: isSeen ? ("leak" as const) : ("risk" as const),
          ...explainedAs(
            "message",
            because(isGuarded ? "leak_route_guarded" : "leak_route", { family: origin.family, routes: found }),
          ),
          evidence: wrong.map((it) => evidence(queryOf(it), expectedRoute(it, origin), foundRoute(it))),
        },
      ];
    });
}

/** Packets to a LAN or to the gateway itself do not leave. */
const leavesGateway = ({ answer }: QueriedRoute, { intent: { network } }: Wanted): boolean =>
  answer.kind === "route" && answer.interface !== "lo" && !network.lan.includes(answer.interface);

const routeEvidence = (subject: Subject, { routes }: Observations): Evidence[] =>
  subject.origins.flatMap((origin) =>
    (routes.get(origin) ?? [])
      .filter((it) => isAsExpected(it, origin))
      .map((it) => evidence(queryOf(it), expectedRoute(it, origin), foundRoute(it))),
  );

/** A tunnel without IPv6, and IPv6 that finds another route. */
function ipv6Findings(
  { origins }: Subject,
  { routes, wanted: { facts } }: Observations,
  outside: readonly string[],
  seen: readonly { readonly family: 4 | 6; readonly left: readonly string[] }[],
): LeakFinding[] {
  const beside = origins
    .filter(({ family, posture }) => family === 6 && posture !== "exposed")
    .filter(({ interfaces }) => interfaces.length > 0 && !interfaces.some((name) => hasIpv6(name, facts.links)));
  const strays = beside
    .flatMap((origin) => routes.get(origin) ?? [])
    .filter(({ answer }) => answer.kind === "route" && outside.includes(answer.interface));
  const isSeen = seen.some(({ family }) => family === 6);
  if (beside.length === 0 || (strays.length === 0 && !isSeen)) return [];
  return [
    {
      cause: "ipv6-beside-tunnel",
      severity: isSeen ? "leak" : "risk",
      ...explainedAs("message", because("leak_ipv6_beside", { interfaces: beside[0]!.interfaces })),
      evidence: [
        ...strays.map((it) => evidence(queryOf(it), noRoute, foundRoute(it))),
        ...seen
          .filter(({ family }) => family === 6)
          .map(({ left }) => evidence(because("check_ipv6_probe"), because("seen_is_blocked"), leftBy(left))),
      ],
    },
  ];
}

const hasIpv6 = (name: string, links: readonly Link[]): boolean =>
  links.some(
    (link) => link.name === name && (link.addresses ?? []).some((it) => it.includes(":") && !it.startsWith("fe80:")),
  );
