import { byChoice, goDirect } from "./privacy.ts";

interface Verdict {
  readonly kind: string;
  readonly policies?: readonly string[];
  readonly reason?: string;
  readonly exposed?: number;
  readonly all?: number;
  readonly leaking?: number;
}

export const home = {
  question: "Am I protected?",
  verdict: "Verdict",
  verdicts: ({ kind, policies = [], reason = "", exposed = 0, all = 0, leaking = 0 }: Verdict) =>
    ({
      "found leaking": {
        title: leaking === 1 ? "1 device leaks." : `${leaking} devices leak.`,
        detail: "The last leak check found a way around what protects it.",
      },
      protected: { title: "Protected.", detail: "Nothing leaves in the clear, and nobody who comes new would." },
      "strangers direct": {
        title: "Protected, but for strangers.",
        detail: "Every known device is looked after; one that nobody knows would go straight to the internet.",
      },
      "some direct": {
        title: goDirect(exposed, all),
        detail: byChoice,
      },
      "nothing yet": {
        title: "Nothing is protected yet.",
        detail: "No policy sends anything through a tunnel.",
      },
      leaking: {
        title: `Leaving in the clear: ${policies.join(", ")}`,
        detail: `${reason}. The policy allows it to go direct then.`,
      },
      "catching up": {
        title: "Not everything is in force yet.",
        detail: "What was asked for is still on its way into the kernel.",
      },
      "not enforced": {
        title: "Nothing is enforced.",
        detail: "The dataplane is switched off in the gateway's configuration file.",
      },
    })[kind] ?? { title: kind, detail: "" },
  setUp: "Set it up",
  lastCheck: (leaking: number, verdict: "tight" | "at-risk" | "leaking" | null) =>
    leaking === 0
      ? verdict === "leaking"
        ? "Last leak check: the gateway itself leaks,"
        : verdict === "at-risk"
          ? "Last leak check: nothing leaks, but something is not as it should be,"
          : "Last leak check: nothing leaks,"
      : leaking === 1
        ? "Last leak check: 1 device leaks,"
        : `Last leak check: ${leaking} devices leak,`,
  neverChecked: "No leak check has run yet.",
  checkNow: "Check now",
  ways: "Ways out",
  allPolicies: "All policies",
  noWays: "Nothing is sent anywhere yet. Import a tunnel, then send devices through it.",
  importTunnel: "Import a tunnel",
  moreWays: (count: number) => `and ${count} more`,
  from: (policies: readonly string[]) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} and ${policies.length - 2} more` : policies.join(", "),
  attention: (count: number) => (count === 1 ? "1 thing needs you" : `${count} things need you`),
  look: "Look",
  review: "Review",
  whoIsThis: "Who is this?",
  newDevice: (name: string, mac: string | null) => `New on the network: ${name}${mac ? ` (${mac})` : ""}`,
  staged: (count: number) =>
    count === 1 ? "1 change is staged and not in force" : `${count} changes are staged and not in force`,
  leaks: (name: string) => `${name} leaks: something of it leaves another way than it should`,
  moreLeak: (count: number) => (count === 1 ? "1 more device leaks" : `${count} more devices leak`),
  tunnelDead: (name: string, reason: string) => `Tunnel ${name} does not carry: ${reason}`,
  partFailed: (name: string, message: string) => `${name}: ${message}`,
  listFailed: (name: string, problem: string) => `List ${name} could not be read: ${problem}`,
  more: "More",
  tunnelsCarry: (off: number) => (off === 0 ? "carry" : `carry; ${off} switched off`),
  ofAll: (some: number, all: number) => `${some} of ${all}`,
  tunnelWords: (carrying: number, wanted: number) =>
    wanted === 0 ? "None is switched on" : carrying === wanted ? "All carry" : `${wanted - carrying} down`,
  blockedShare: "of questions were blocked in the last day",
  planeWords: { running: "Answers", degraded: "Answers in part", failed: "Does not answer", off: "Off" },
  uplinks: "Uplink",
  noUplink: "None",
  uplinkWords: (some: boolean): string => (some ? "In use" : "No way out"),
  dnsHour: "Questions for names, last hour",
  queries: "Asked",
  blocked: "Blocked",
  noQueries: "Nobody has asked for a name yet.",
  traffic: "Traffic at the uplinks since this page was opened",
  received: "In",
  sent: "Out",
  measuring: "Measuring",
};
