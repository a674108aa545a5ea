import { isIP } from "node:net";
import { Problem } from "@portcullis/contract/problem";
import { bad, good, joined, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { pairs } from "../screen/sheet.ts";
import { hopWords } from "../screen/values.ts";
import { outcomeSentence, whenDown } from "./evaluation.ts";
import { command, deviceNamed, notInForce } from "./lookups.ts";
import type { Policy } from "./policy.ts";
import { argumentsOf, type Task, type TaskResult, type TaskWorld } from "./task.ts";

type Client = TaskWorld["client"];

export const why: Task = {
  words: ["why"],
  synopsis: "<device> [destination]",
  summary: "Why a device is blocked, protected or exposed",
  description:
    "Evaluates what the packets of the device do now, with the policy that decides and the policies before it. The destination is an address or a domain; for a domain it also shows whether DNS filtering blocks the name.",
  options: [],
  examples: ['portcullis why "Kitchen TV"', 'portcullis why "Kitchen TV" shop.example'],
  run: async (given, { client }) => {
    const [name = "", destination] = argumentsOf(given, ["device", "destination"], 1);
    const device = await deviceNamed(client, name);
    return explained(client, device, destination);
  },
};

async function explained(
  client: Client,
  device: { readonly id: string; readonly name: string },
  destination: string | undefined,
): Promise<TaskResult> {
  const domain = destination !== undefined && isIP(destination) === 0 ? destination : undefined;
  const packet = destination === undefined ? {} : domain === undefined ? { destination } : { domain };
  const [evaluation, status, query, resolver] = await Promise.all([
    client.policyViews.evaluate({ body: { device_id: device.id, ...packet } }),
    client.status.status(),
    domain === undefined ? undefined : dnsAnswer(client, domain, device.id),
    domain === undefined ? undefined : client.dns.status(),
  ]);
  const policy = evaluation.policy_id === null ? undefined : await policyOf(client, evaluation.policy_id);
  const obstacle = notInForce(status);
  const value = {
    device_id: device.id,
    device_name: device.name,
    evaluation,
    dns: query ?? null,
    not_in_force: obstacle ?? null,
  };
  const before = evaluation.trace.filter(({ decided }) => !decided);
  return {
    value,
    lines: () => [
      ...(obstacle === undefined ? [] : [sentence`${bad("Not in force:")} ${obstacle}.`, []]),
      outcomeSentence(device.name, evaluation, policy, obstacle === undefined),
      ...pairs([
        ["Why", rich(evaluation.reason)],
        ...(policy ? ([["Policy", policyWords(policy)]] as const) : []),
        ...(policy && policy.hops.length > 0 ? ([["If down", whenDown(policy.fail_policy)]] as const) : []),
      ]),
      ...(domain === undefined ? [] : dnsLines(domain, device.name, query, resolver?.status === "off")),
      ...(before.length > 0
        ? [
            [],
            rich("Policies before it, which do not decide:"),
            ...pairs(before.map((it) => [it.name, rich(it.reason)])),
          ]
        : []),
    ],
  };
}

export const policyWords = ({ name, priority, hops }: Policy): Rich =>
  sentence`${strong(name)}, priority ${priority}: ${hops.length > 0 ? hopWords(hops) : rich("no hops")}`;

type DnsAnswer = Awaited<ReturnType<Client["dns"]["test"]>>;

/** Undefined for what is no domain name: the packets are explained all the same. */
const dnsAnswer = async (client: Client, name: string, device: string): Promise<DnsAnswer | undefined> =>
  client.dns.test({ body: { name, device_id: device } }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "invalid_request") return undefined;
    throw error;
  });

function dnsLines(domain: string, device: string, answer: DnsAnswer | undefined, isOff: boolean): Rich[] {
  if (answer === undefined)
    return [
      [],
      sentence`DNS filtering was ${warn("not tested")}: ${domain} is no domain, or no address of ${device} is known.`,
    ];
  const { verdict, by, trace } = answer;
  const reasons = trace.length > 0 ? pairs(trace.map((it, index) => [index === 0 ? "DNS steps" : "", rich(it)])) : [];
  if (isOff) return [[], sentence`${bad("DNS filtering does not run")}, so it blocks nothing.`, ...reasons];
  if (verdict !== "block")
    return [
      [],
      sentence`DNS filtering does ${good("not block")} ${domain}${by === null ? "" : `: ${by.name} decides`}.`,
      ...reasons,
    ];
  const decider = by === null ? rich("") : joined([rich(" by"), strong(by.name)], " ");
  return [
    [],
    sentence`DNS filtering ${bad("blocks")} ${domain}${decider}. To allow it for ${device}:`,
    command("unblock", domain, "--for", device),
    ...reasons,
  ];
}

/** The policy may have been deleted since. */
const policyOf = (client: Client, id: string): Promise<Policy | undefined> =>
  client.routing.get({ params: { id } }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  });
