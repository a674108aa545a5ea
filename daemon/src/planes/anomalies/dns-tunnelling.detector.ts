import { because } from "@portcullis/contract/reason";
import { isKnown, markKnown } from "./contacts.ts";
import { evidence, type Finding, type Observation, rounded } from "./finding.ts";
import { entropyOf, type SplitName } from "./names.ts";
import { domainSlots, type Profile } from "./profile.ts";
import { addDistinct, distinctIn, hashOf } from "./sketches.ts";
import { scoreOf } from "./thresholds.ts";

const [hashAt, sinceAt, queriesAt, charactersAt, bitsAt] = [0, 1, 2, 3, 4];
const windowMs = 6 * 3_600_000;
/** Below it, a name has no room for data; most names are shorter, and have no slot. */
const leastCharacters = 16;
const leastBits = 3;
/** A domain with such names in the learning period, as those of a virus scanner, is part of the baseline. */
const marker = "tunnelling ";

/** Many different long names of random characters below one domain: each transfers some bytes. */
export function dnsTunnelling(
  profile: Profile,
  { domain, below }: SplitName,
  { atMs, isLearned, limits }: Observation,
): Finding | undefined {
  if (below.length < leastCharacters || domain.endsWith(".arpa") || domain === "arpa") return undefined;
  const slot = slotFor(profile, hashOf(domain), atMs);
  const table = profile.domains;
  table[slot + queriesAt]! += 1;
  table[slot + charactersAt]! += below.length;
  table[slot + bitsAt]! += entropyOf(below.replaceAll(".", ""));
  const bitmap = bitmapOf(profile, slot);
  addDistinct(bitmap, hashOf(below));
  if (table[slot + queriesAt]! < limits.leastNames) return undefined;
  const names = distinctIn(bitmap);
  const characters = table[slot + charactersAt]! / table[slot + queriesAt]!;
  const bits = table[slot + bitsAt]! / table[slot + queriesAt]!;
  const bytes = (names * characters * bits) / 8;
  if (names < limits.leastNames || bits < leastBits || bytes < limits.leastNameBytes) return undefined;
  const known = hashOf(marker + domain);
  if (!isLearned || isKnown(profile, known)) {
    markKnown(profile, known);
    return undefined;
  }
  return {
    kind: "dns_tunnelling",
    cause: domain,
    score: scoreOf(bytes, limits.leastNameBytes),
    reason: because("anomaly_dns_tunnelling", {
      domain,
      names: Math.round(names),
      characters: Math.round(characters),
      bits: rounded(bits, 1),
    }),
    evidence: evidence(
      [
        { measure: "names", observed: Math.round(names), expected: limits.leastNames, unit: "names" },
        { measure: "name_length", observed: rounded(characters, 1), expected: leastCharacters, unit: "characters" },
        { measure: "name_entropy", observed: rounded(bits), expected: leastBits, unit: "bits" },
      ],
      { domain },
    ),
  };
}

/** The slot of the domain, or the one with the fewest queries. A slot begins anew after its window. */
function slotFor({ domains, domainNames }: Profile, hash: number, atMs: number): number {
  let least = 0;
  for (let slot = 0; slot < domains.length; slot += domainSlots.fields) {
    const isOver = atMs - domains[slot + sinceAt]! > windowMs;
    if (domains[slot + hashAt] === hash + 1) {
      if (!isOver) return slot;
      least = slot;
      break;
    }
    if (weight(domains, slot, isOver) < weight(domains, least, atMs - domains[least + sinceAt]! > windowMs))
      least = slot;
  }
  domains.fill(0, least, least + domainSlots.fields);
  domains[least + hashAt] = hash + 1;
  domains[least + sinceAt] = atMs;
  const first = (least / domainSlots.fields) * domainSlots.words;
  domainNames.fill(0, first, first + domainSlots.words);
  return least;
}

const weight = (domains: Float64Array, slot: number, isOver: boolean): number =>
  isOver ? -1 : domains[slot + queriesAt]!;

function bitmapOf({ domainNames }: Profile, slot: number): Uint32Array {
  const first = (slot / domainSlots.fields) * domainSlots.words;
  return domainNames.subarray(first, first + domainSlots.words);
}
