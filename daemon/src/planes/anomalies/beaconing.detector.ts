import { because } from "@portcullis/contract/reason";
import { type Contact, variationOf } from "./contacts.ts";
import { evidence, type Finding, type Observation, rounded } from "./finding.ts";
import { scoreOf } from "./thresholds.ts";

/** Connections to a destination that was new after the learning period, at intervals with little variation. */
export function beaconing(
  contact: Contact,
  destination: string,
  { isLearned, learnedMs, limits }: Observation,
): Finding | undefined {
  const { firstMs, contacts, mean, pauses } = contact;
  if (!isLearned || firstMs < learnedMs || contacts < limits.leastContacts) return undefined;
  if ((contacts - 1 - pauses) * mean * 1000 < limits.leastContactSpanMs) return undefined;
  const variation = variationOf(contact);
  if (variation === undefined || variation > limits.intervalVariation) return undefined;
  const percent = rounded(100 * variation, 0);
  return {
    kind: "beaconing",
    cause: destination,
    score: scoreOf(limits.intervalVariation, variation),
    reason: because("anomaly_beaconing", { destination, interval_ms: Math.round(mean) * 1000, percent }),
    evidence: evidence(
      [
        { measure: "interval", observed: rounded(mean, 0), expected: null, unit: "seconds" },
        {
          measure: "interval_variation",
          observed: percent,
          expected: 100 * limits.intervalVariation,
          unit: "percent",
        },
        { measure: "contacts", observed: contacts, expected: null, unit: "contacts" },
      ],
      { destinations: [destination] },
    ),
  };
}
