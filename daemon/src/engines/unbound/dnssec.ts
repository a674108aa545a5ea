import { requestLoopback } from "../../system/socket-request.ts";
import { parseSigned, soaQuery } from "./dates.parse.ts";
import type { Validator } from "./unbound.model.ts";

/**
 * Whether the upstream resolvers of a validator can do DNSSEC. `stripped`: they return no signatures; `some`: some of them do
 * not; `unverified`: they return signatures that the trust anchor does not verify.
 */
export type Signatures = "valid" | "stripped" | "some" | "unverified";

type Ask = (port: number, words: Uint8Array, limitMs: number) => Promise<Uint8Array>;

/**
 * Queries the root's SOA, which has nothing to do with any single domain that is bogus: from the upstreams as they send it, with
 * checking disabled, and from the validator. Undefined when neither says anything, which is another trouble.
 */
export async function signaturesFor(
  { port, frontendPort }: Pick<Validator, "port" | "frontendPort">,
  ask: Ask = requestLoopback,
): Promise<Signatures | undefined> {
  const query = async (at: number, isChecking: boolean) => {
    const id = Math.floor(Math.random() * 0x1_0000);
    const answer = await ask(at, soaQuery(id, isChecking), answerMs).catch(() => new Uint8Array());
    return parseSigned(answer, id);
  };
  const sent: ("signed" | "unsigned")[] = [];
  // Of several upstreams each has a turn.
  for (let turn = 0; turn < turns; turn += 1) {
    const found = await query(frontendPort, false);
    if (found === "signed" || found === "unsigned") sent.push(found);
  }
  if (sent.length === 0) return undefined;
  if (sent.includes("unsigned")) return sent.includes("signed") ? "some" : "stripped";
  return (await query(port, true)) === "failed" ? "unverified" : "valid";
}

interface Needs {
  readonly validators: () => readonly Validator[];
  /** How many bogus answers each validator has given, by its number. */
  readonly bogusAnswers: () => ReadonlyMap<number, number>;
  readonly probe?: (validator: Validator) => Promise<Signatures | undefined>;
}

/** Finds out which validators can answer nothing because of their upstreams. Nothing is sent while no answer is bogus. */
export function openSignatures({ validators, bogusAnswers, probe = signaturesFor }: Needs) {
  const before = new Map<number, number>();
  const found = new Map<number, Signatures>();
  return {
    /** Of one validator; valid as long as nothing else is known. */
    of: (number: number): Signatures => found.get(number) ?? "valid",
    look: async (): Promise<void> => {
      const validating = validators().filter(({ isValidating }) => isValidating);
      const numbers = new Set(validating.map(({ number }) => number));
      for (const number of found.keys()) if (!numbers.has(number)) found.delete(number);
      for (const validator of validating) {
        const { number } = validator;
        const count = bogusAnswers().get(number) ?? 0;
        const isSuspect = count > 0 && count !== before.get(number);
        before.set(number, count);
        if (!isSuspect && !found.has(number)) continue;
        const state = await probe(validator);
        if (state === "valid") found.delete(number);
        else if (state !== undefined) found.set(number, state);
      }
    },
  };
}

const turns = 3;
const answerMs = 3000;
