import { type AnomalyKind, anomalyKinds } from "@portcullis/contract/subsystems/anomalies";
import { expect, test } from "vitest";
import { qualityOf, type Simulated, simulate } from "./anomaly-simulation.ts";
import { recordFigure } from "./figure.ts";
import { announceSeed } from "./seed.ts";

const seed = announceSeed("anomaly detection");

/** Kinds whose figures have a target. */
const targeted: readonly AnomalyKind[] = ["exfiltration", "beaconing", "dns_tunnelling", "new_country"];
const target = 0.9;

test("anomaly detection: every episode of a small site is found, and nothing is reported where there is none", async () => {
  const small = { seed: 1, site: "flat", days: 14, learningDays: 4 } as const;
  const odd = await simulate({ ...small, episodes: 1 });
  const found = odd.episodes.filter(({ kind }) => qualityOf(kind, [odd]).found > 0);
  expect(found.length).toBe(odd.episodes.length);
  expect(odd.episodes.length).toBeGreaterThan(2);
  const quiet = await simulate({ ...small, episodes: 0 });
  expect(quiet.reported.map(({ device, kind }) => `${device}: ${kind}`)).toEqual([]);
});

test("anomaly detection: precision and recall on labelled weeks of homes and offices", {
  tags: ["proof"],
  timeout: 3_600_000,
}, async () => {
  const sites = Number(process.env["ANOMALY_SITES"] ?? 2);
  const all: Simulated[] = [];
  for (let n = 0; n < sites; n += 1)
    all.push(
      await simulate({
        seed: seed + n,
        site: n % 2 === 0 ? "home" : "office",
        days: 28,
        learningDays: 14,
        episodes: 2,
      }),
    );
  const poor: string[] = [];
  for (const kind of anomalyKinds) {
    const { found, missed, right, wrong, recall, precision } = qualityOf(kind, all);
    const least = targeted.includes(kind) ? { least: target } : {};
    const note = `seed ${seed}, ${sites} sites, 4 weeks each`;
    const value = (share: number) => Math.round(1000 * share) / 1000;
    recordFigure({
      name: `recall of ${kind}`,
      value: value(recall),
      unit: "share",
      ...least,
      note: `${found} of ${found + missed.length} episodes; ${note}`,
    });
    recordFigure({
      name: `precision of ${kind}`,
      value: value(precision),
      unit: "share",
      ...least,
      note: `${right} of ${right + wrong.length} anomalies; ${note}`,
    });
    if (targeted.includes(kind) && Math.min(recall, precision) < leastOfAny) poor.push(kind);
  }
  expect(poor).toEqual([]);
});

/** With few sites the figures scatter; below it a detector is broken. */
const leastOfAny = 0.6;
