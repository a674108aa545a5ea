import type { CheckedDevice, LeakCheck, LeakFinding } from "@portcullis/contract/subsystems/privacy";
import type { Link } from "../compiler/input/facts.ts";
import { type IntentException, outsideOf } from "../compiler/input/intent.ts";
import type { Attack } from "./spoofed-probes.ts";
import { audit, takes, type Wanted } from "./audit.ts";
import { type Echo, echoEvidence, echoFindings } from "./echo.ts";
import type { Evidence, Found } from "./finding.ts";
import { type Healed, healedFindings } from "./repairs.ts";
import { type Answer, type Kernel, questionWords, type RouteQuestion } from "./kernel.ts";
import type { Origin, Subject } from "./subjects.ts";

export interface Asked {
  readonly question: RouteQuestion;
  readonly answer: Answer;
}

export interface Looked {
  readonly wanted: Wanted;
  /** Several moments: what comes and goes is caught in one of them. */
  readonly kernels: readonly Kernel[];
  /** Of each device and origin: with each of its marks, and without. */
  readonly routes: ReadonlyMap<Origin, readonly Asked[]>;
  readonly attack: Attack;
  readonly echoes: readonly Echo[];
  readonly learned: (way: string) => readonly string[];
  readonly healed: readonly Healed[];
  readonly nowMs: number;
}

/** Of one device; when, knows who asked. */
type JudgedDevice = Omit<CheckedDevice, "checked_at">;

export interface Judged {
  readonly devices: readonly JudgedDevice[];
  readonly gateway: readonly LeakFinding[];
  readonly verdict: LeakCheck["verdict"];
}

/** What was seen → who leaks, who would if one more thing failed, and why. */
export function judge(subjects: readonly Subject[], looked: Looked): Judged {
  const { wanted, kernels, echoes, learned, healed, nowMs } = looked;
  const outside = outsideOf(wanted.intent.network);
  const audited = kernels.flatMap((kernel) => audit(wanted, kernel, nowMs));
  const seen = new Set(audited.map(({ cause }) => cause));
  const found = distinct([
    ...audited,
    ...echoFindings(wanted, echoes, learned),
    // Who has seen it himself knows better whom it concerns.
    ...healedFindings(healed).filter(({ cause }) => !seen.has(cause)),
    ...wanted.intent.exceptions.flatMap(partlyOpen),
    ...notAttacked(looked.attack),
  ]);
  const devices = subjects.map((subject) => judgeOne(subject, found, looked, outside));
  const anySeen = devices.some(({ findings }) => findings.some(({ cause }) => cause === "seen-outside"));
  const gateway = found.filter((it) => it.isOfGateway).map((it) => finding(it, anySeen));
  return { devices, gateway, verdict: worstOf([...devices.map((it) => it.verdict), verdictOf(gateway)]) };
}

/** Of several devices. What somebody chose is nothing to worry about. */
export const worstOf = (verdicts: readonly CheckedDevice["verdict"][]): LeakCheck["verdict"] =>
  (["leaking", "at-risk"] as const).find((it) => verdicts.includes(it)) ?? "no-leak";

/** Of one cause: who has read a hundred knows enough. */
const findingsMost = 100;

/** The same thing seen at two moments is one thing. */
function distinct(found: readonly Found[]): Found[] {
  const known = new Map<string, Found>();
  for (const it of found) {
    const key = `${it.cause} ${it.message} ${it.of ?? ""}`;
    if (!known.has(key)) known.set(key, it);
  }
  return [...Map.groupBy(known.values(), ({ cause }) => cause).values()].flatMap((all) => all.slice(0, findingsMost));
}

function judgeOne(subject: Subject, found: readonly Found[], looked: Looked, outside: readonly string[]): JudgedDevice {
  const { attack, echoes } = looked;
  const attacked = attack.byDevice.get(subject.id) ?? [];
  const seen = attacked.filter(
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
        message: `A packet of IPv${family} that was sent in its name left by ${left.join(", ")}`,
        evidence: [
          {
            what: attackText(subject, source, destination),
            expected: "no uplink",
            found: `it left by ${left.join(", ")}`,
          },
        ],
      }),
    ),
    ...found.filter((it) => it.concerns(subject)).map((it) => finding(it, isSeen)),
    ...routeFindings(subject, looked, outside, isSeen),
    ...ipv6Beside(subject, looked, outside, seen),
    ...attacked.flatMap((it): LeakFinding[] => {
      const origin = subject.origins.find(({ address }) => address === it.source)!;
      const strange = it.left.filter((name) => !outside.includes(name) && !origin.interfaces.includes(name));
      return strange.length === 0
        ? []
        : [
            {
              cause: "wrong-route",
              severity: "risk",
              message: `A packet of IPv${it.family} that was sent in its name left by ${strange.join(", ")}`,
              evidence: [
                {
                  what: attackText(subject, it.source, it.destination),
                  expected: origin.interfaces.join(", ") || "nowhere",
                  found: strange.join(", "),
                },
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
      ...attackEvidence(subject, attack, outside),
      ...routeEvidence(subject, looked),
      flowsEvidence(looked),
      ...echoEvidence(echoes, subject),
    ],
  };
}

function verdictOf(findings: readonly LeakFinding[]): CheckedDevice["verdict"] {
  const has = (wanted: LeakFinding["severity"]): boolean => findings.some(({ severity }) => severity === wanted);
  return has("leak") ? "leaking" : has("risk") ? "at-risk" : has("intended") ? "direct" : "no-leak";
}

const finding = ({ cause, severity, message, evidence }: Found, isSeen: boolean): LeakFinding => ({
  cause,
  severity: severity ?? (isSeen ? "leak" : "risk"),
  message,
  evidence: [...evidence],
});

/** What leaves in the clear because a policy or an exception allows it; a fallback is reported by `policy.direct_fallback`. */
function exposures({ origins }: Subject): LeakFinding[] {
  const exposed = origins.filter(({ posture }) => posture === "exposed");
  const worst = exposed.find(({ isFallback }) => isFallback) ?? exposed[0];
  if (!worst) return [];
  const { exceptionId, policyId, isFallback, reason, interfaces, family } = worst;
  return [
    {
      cause: isFallback ? "direct-fallback" : exceptionId === null ? "exposed-by-policy" : "exposed-by-exception",
      severity: "intended",
      message: `It leaves by ${interfaces.join(", ")} in the clear: ${reason}`,
      evidence: [
        {
          what: `What is published decides for it, IPv${family}`,
          expected: "a tunnel, or nothing",
          found:
            exceptionId === null
              ? policyId === null
                ? "no policy"
                : `policy ${policyId}`
              : `exception ${exceptionId}`,
        },
      ],
    },
  ];
}

/** An exception for some destinations. */
const partlyOpen = ({ id, effect, deviceId, destinations, type }: IntentException): Found[] =>
  effect !== "direct" || destinations.length === 0
    ? []
    : [
        {
          cause: "exposed-by-exception",
          severity: "intended",
          message: `An exception (${type}) lets it reach ${destinations.join(", ")} in the clear`,
          evidence: [{ what: "Exceptions that hold now", expected: "none", found: `exception ${id}` }],
          concerns: (subject) => subject.id === deviceId,
        },
      ];

/** Whoever could not attack has proved less than it says. */
const notAttacked = ({ failure }: Attack): Found[] =>
  failure === undefined
    ? []
    : [
        {
          cause: "kernel-settings",
          severity: "risk",
          message: "The attack could not be made: what is said here rests on what the kernel tells of itself",
          evidence: [
            { what: "Packets put into the LAN's interface", expected: "each of them arrives", found: failure },
          ],
          concerns: () => false,
          isOfGateway: true,
        },
      ];

const attackText = ({ mac }: Subject, source: string, destination: string): string =>
  `Attack: ICMP echo with hop limit 2 from ${mac ?? "some MAC"} ${source} to ${destination}, put into the LAN's interface, watched behind the last table and dropped there`;

function attackEvidence(subject: Subject, { byDevice, failure }: Attack, outside: readonly string[]): Evidence[] {
  const attacked = byDevice.get(subject.id) ?? [];
  if (attacked.length === 0)
    return [
      {
        what: "Attack with packets in its name",
        expected: "no uplink",
        found: `not made: ${failure ?? "it has no address"}`,
      },
    ];
  return attacked
    .filter(({ left }) => !left.some((name) => outside.includes(name)))
    .map(({ source, destination, left }) => ({
      what: attackText(subject, source, destination),
      expected: "no uplink",
      found: left.length === 0 ? "it was stopped" : `it left by ${left.join(", ")}`,
    }));
}

function flowsEvidence({ kernels }: Looked): Evidence {
  const { flows } = kernels[0]!;
  return {
    what: "conntrack -L",
    expected: "none of its flows runs by an uplink's address",
    found: typeof flows === "string" ? `not looked at: ${flows}` : `${flows.length} flows of everybody were looked at`,
  };
}

const isAsExpected = ({ answer, question }: Asked, { interfaces }: Origin): boolean =>
  answer.kind === "none" || (question.mark !== null && interfaces.includes(answer.interface));

const askedText = ({ question }: Asked): string => `ip ${questionWords(question).join(" ")}`;

const expectedText = ({ question }: Asked, { interfaces }: Origin): string =>
  question.mark === null || interfaces.length === 0 ? "no way" : `dev ${interfaces.join(" or ")}, or no way`;

/** Where the kernel would send it, though nobody has decided so. */
function routeFindings(
  subject: Subject,
  { routes, kernels, wanted }: Looked,
  outside: readonly string[],
  isSeen: boolean,
) {
  return subject.origins
    .filter(({ posture }) => posture !== "exposed")
    .flatMap((origin) => {
      const wrong = (routes.get(origin) ?? []).filter((it) => !isAsExpected(it, origin) && isElsewhere(it, wanted));
      if (wrong.length === 0) return [];
      const isForeign = kernels.some(({ rules }) =>
        rules.some((rule) => rule.priority < 6990 && rule.priority > 0 && !rule.isOfOwn && takes(rule, origin)),
      );
      const ways = [...new Set(wrong.map(({ answer }) => answer.text))].join(", ");
      return [
        {
          cause: isForeign ? ("foreign-rule" as const) : ("wrong-route" as const),
          severity: isSeen ? ("leak" as const) : ("risk" as const),
          message: `The kernel would send its IPv${origin.family} by ${ways}${isSeen || !wrong.some((it) => it.answer.kind === "way" && outside.includes(it.answer.interface)) ? "" : "; the gate still stops it"}`,
          evidence: wrong.map((it) => ({
            what: askedText(it),
            expected: expectedText(it, origin),
            found: it.answer.text,
          })),
        },
      ];
    });
}

/** What stays in the house or on the gateway leaves by nothing. */
const isElsewhere = ({ answer }: Asked, { intent: { network } }: Wanted): boolean =>
  answer.kind === "way" && answer.interface !== "lo" && !network.lan.includes(answer.interface);

const routeEvidence = (subject: Subject, { routes }: Looked): Evidence[] =>
  subject.origins.flatMap((origin) =>
    (routes.get(origin) ?? [])
      .filter((it) => isAsExpected(it, origin))
      .map((it) => ({ what: askedText(it), expected: expectedText(it, origin), found: it.answer.text })),
  );

/** A way that carries IPv4 only, and IPv6 that finds another one. */
function ipv6Beside(
  { origins }: Subject,
  { routes, wanted: { facts } }: Looked,
  outside: readonly string[],
  seen: readonly { readonly family: 4 | 6; readonly left: readonly string[] }[],
): LeakFinding[] {
  const beside = origins
    .filter(({ family, posture }) => family === 6 && posture !== "exposed")
    .filter(({ interfaces }) => interfaces.length > 0 && !interfaces.some((name) => carriesIpv6(name, facts.links)));
  const strays = beside
    .flatMap((origin) => routes.get(origin) ?? [])
    .filter(({ answer }) => answer.kind === "way" && outside.includes(answer.interface));
  const isSeen = seen.some(({ family }) => family === 6);
  if (beside.length === 0 || (strays.length === 0 && !isSeen)) return [];
  return [
    {
      cause: "ipv6-beside-tunnel",
      severity: isSeen ? "leak" : "risk",
      message: `${beside[0]!.interfaces.join(", ")} carries IPv4 only, and its IPv6 finds a way beside it`,
      evidence: [
        ...strays.map((it) => ({ what: askedText(it), expected: "no way", found: it.answer.text })),
        ...seen
          .filter(({ family }) => family === 6)
          .map(({ left }) => ({
            what: "Attack with IPv6",
            expected: "it is stopped",
            found: `it left by ${left.join(", ")}`,
          })),
      ],
    },
  ];
}

const carriesIpv6 = (name: string, links: readonly Link[]): boolean =>
  links.some(
    (link) => link.name === name && (link.addresses ?? []).some((it) => it.includes(":") && !it.startsWith("fe80:")),
  );
