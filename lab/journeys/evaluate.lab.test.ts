import { expect, test } from "vitest";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import { type EgressTopology, lanInterfaces, openEgressTopology, wanInterface } from "../topology-egresses.ts";
import { type LabDaemon, startApiClient, startDaemon } from "../daemon.ts";
import { type ConfigStep, randomConfig, type ConfigRequest } from "../random-config.ts";
import { openLab } from "../namespaces.ts";

/** `SETS_BY_API=500 npm run test:lab` for longer. */
const sets = Number(process.env["SETS_BY_API"] ?? 12);

const config = { reconcile: { interval_sec: 86_400 }, limits: { requests_per_minute: 1_000_000 } };
/** Half of the sets with each. In the first lan1 is no LAN. */
const networks = [
  { lan_iface: "lan0", wan_iface: wanInterface, default_egress: "direct" },
  { lan_iface: "lan0", more_lan_ifaces: ["lan1"], wan_iface: wanInterface, default_egress: "block" },
];

type Api = Pick<LabDaemon, "request" | "ok">;

/** What matters of an answer of POST /policy/evaluate. */
interface Answer {
  readonly outcome: "direct" | "local" | "block" | "egress" | "split";
  readonly interfaces: readonly string[];
  readonly reason: string;
  readonly exception_id: string | null;
  readonly trace: readonly object[];
}

test("every packet leaves, or is blocked, as POST /policy/evaluate answered", async () => {
  const random = randomFrom(announceSeed("evaluate"));
  await using lab = openLab();
  const topology = await openEgressTopology(lab);
  const collected: Answer[] = [];
  const disagreeing: object[] = [];
  const refused = { policies: 0, applies: 0 };
  for (const network of networks) {
    using daemon = await startDaemon(topology.gateway, { ...config, network }, temporaryFolder());
    const api = await startApiClient(topology.gateway);
    for (let set = 0; set < sets / 2; set++) {
      if ("more_lan_ifaces" in network)
        for (const name of lanInterfaces)
          await api.ok("PUT", `/segments/${name}`, {
            reaches: lanInterfaces.filter((it) => it !== name && random() < 0.5),
          });
      const acts = randomConfig(random);
      /** Name → path, the oldest first. */
      const made = new Map<string, string>();
      for (const [index, act] of acts.entries()) {
        await play(act, made, topology, api, refused);
        for (const { answer, left, ...packet } of await evaluateAndSend(act, topology, api, collected.length)) {
          collected.push(answer);
          if (agrees(answer, left)) continue;
          disagreeing.push({ network, set, acts: acts.slice(0, index + 1).map(readable), ...packet, answer, left });
        }
      }
      for (const path of [...made.values()].toReversed()) await api.ok("DELETE", path);
    }
    await daemon.kill();
  }
  const counts = { block: 0, direct: 0, local: 0, egress: 0, split: 0, by_exception: 0 };
  for (const { outcome, exception_id } of collected) {
    counts[outcome] += 1;
    if (exception_id !== null) counts.by_exception += 1;
  }
  const summary = { packets: collected.length, ...counts, refused, disagreements: disagreeing.length };
  process.stdout.write(`evaluate: ${sets} sets, ${JSON.stringify(summary)}\n`);
  for (const lie of disagreeing.slice(0, 3)) process.stdout.write(`evaluate: ${JSON.stringify(lie, null, 1)}\n`);
  recordFigure({ name: "packets compared with POST /policy/evaluate", value: collected.length, unit: "packets" });
  recordFigure({
    name: "packets that differ from POST /policy/evaluate",
    value: disagreeing.length,
    unit: "packets",
    most: 0,
  });
  expect(disagreeing).toHaveLength(0);
  // The probes would have been seen: every kind of egress was used, and every kind of refusal happened.
  expect(Object.values(counts)).not.toContain(0);
}, 1_800_000);

/** Brings the gateway there. What contradicts something else is refused, and then left out. */
async function play(
  { up, beforeApply, afterApply }: ConfigStep,
  made: Map<string, string>,
  topology: EgressTopology,
  api: Api,
  refused: { policies: number; applies: number },
): Promise<void> {
  const reconcile = () => api.ok("POST", "/enforce/reconcile");
  async function grant({ method, path, name, body }: ConfigRequest): Promise<void> {
    const known = made.get(name);
    if (method === "PUT" && known === undefined) return; // It was refused when it was to be made.
    const answer = await api.request(method, known ?? path, body);
    const { id, enforced, error } = answer.body as { id: string; enforced?: boolean; error?: { code: string } };
    if (error?.code === "policy_conflict") refused.policies += 1;
    else if (error || enforced === false) throw new Error(`${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
    else made.set(name, `${path}/${id}`);
  }
  await topology.leaveUp(up);
  await reconcile(); // Link events arrive by themselves, but not at once.
  for (const wish of beforeApply) await grant(wish);
  const applied = await api.request("POST", "/routing/policies/apply");
  if (applied.status === 409) {
    // Changed groups of devices, or a changed profile, can make policies contradict each other.
    refused.applies += 1;
    await reconcile();
  } else if (!(applied.body as { enforced?: boolean }).enforced) throw new Error(JSON.stringify(applied));
  for (const wish of afterApply) await grant(wish);
}

/** The evaluation of each packet, and through which egresses it was seen outside. */
async function evaluateAndSend({ packets }: ConfigStep, topology: EgressTopology, api: Api, sentBefore: number) {
  const portOf = (index: number) => 1000 + ((sentBefore + index) % 60_000); // Each is a flow of its own, whatever was before.
  const answers: unknown[] = [];
  for (const { query } of packets) answers.push(await api.ok("POST", "/policy/evaluate", query));
  const seen = await topology.send(packets.map(({ probe }, index) => ({ ...probe, port: portOf(index) })));
  return packets.map((packet, index) => ({
    ...packet,
    answer: answers[index] as Answer,
    left: seen.get(portOf(index)) ?? [],
  }));
}

function agrees({ outcome, interfaces }: Answer, left: readonly string[]): boolean {
  if (outcome === "block") return left.length === 0;
  const possible = { direct: [wanInterface], local: lanInterfaces, egress: interfaces, split: interfaces }[outcome];
  return left.length === 1 && possible.some((it) => it === left[0]);
}

/** Without its packets, one of which is reported beside it. */
const readable = ({ up, beforeApply, afterApply }: ConfigStep) => ({ up: [...up], beforeApply, afterApply });
