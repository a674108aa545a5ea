import type { AnomalyKind } from "@portcullis/contract/subsystems/anomalies";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";
import { observeFlows, type ObservationContext, observeQueries, passTime } from "./device-observer.ts";
import type { Finding } from "./finding.ts";
import { newProfile, profileBytes, readProfile, writeProfile } from "./profile.ts";
import { thresholds } from "./thresholds.ts";

announceSeed("detectors");

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Monday. */
const beginMs = Date.UTC(2026, 0, 5);
const MiB = 1024 * 1024;

interface Sent {
  readonly name?: string;
  readonly address?: string;
  readonly sent?: number;
  readonly received?: number;
  readonly connections?: number;
}

/** A device that is observed with 10 learning days, and what is found since. */
function observed({ sensitivity = "medium" as keyof typeof thresholds, isCounted = false } = {}) {
  let atMs = beginMs;
  const profile = newProfile("d", atMs);
  const found: Finding[] = [];
  const context = (): ObservationContext => ({
    atMs,
    learningDays: 10,
    limits: thresholds[sensitivity],
    localHour: (ms) => ({ hour: new Date(ms).getUTCHours(), isWeekend: new Date(ms).getUTCDay() % 6 === 0 }),
    countryOf: (address) => (address.startsWith("20.7.") ? "NZ" : address.startsWith("20.8.") ? "CL" : "DE"),
  });
  const it = {
    profile,
    kinds: () => [...new Set(found.map(({ kind }) => kind))],
    last: (kind: AnomalyKind) => found.findLast((one) => one.kind === kind),
    at: (ms: number) => {
      while (atMs < ms) {
        atMs = Math.min(ms, atMs + hourMs);
        found.push(...passTime(profile, context()));
      }
    },
    send: ({
      name = "known.example",
      address = "20.1.0.1",
      sent = 1000,
      received = 1000,
      connections = 1,
    }: Sent = {}) =>
      void found.push(
        ...observeFlows(
          profile,
          [
            {
              to: isCounted
                ? undefined
                : {
                    address,
                    name: name || undefined,
                  },
              sentBytes: sent,
              receivedBytes: received,
              connections,
            },
          ],
          context(),
        ),
      ),
    query: (names: readonly string[]) =>
      void found.push(...observeQueries(profile, names.length, isCounted ? [] : names, context())),
    /** Until the given day, 10 MiB to a known destination every day between 8 and 18 o'clock. */
    live: (untilDay: number) => {
      for (let day = Math.ceil((atMs - beginMs) / dayMs); day < untilDay; day += 1)
        for (let hour = 8; hour < 18; hour += 1) {
          it.at(beginMs + day * dayMs + hour * hourMs + 1000);
          it.send({ sent: MiB, received: 20 * MiB });
          it.query(["known.example"]);
        }
      it.at(beginMs + untilDay * dayMs);
    },
    now: () => atMs,
  };
  return it;
}

test("exfiltration: a large upload to a new destination is found, with what the device usually sends to new ones", () => {
  const it = observed();
  it.live(16);
  it.at(it.now() + 9 * hourMs);
  it.send({ name: "drop.example", sent: 59 * MiB, received: 0 });
  expect(it.kinds()).toEqual([]);
  it.send({ name: "drop.example", sent: 30 * MiB, received: 0, connections: 0 });
  expect(it.last("exfiltration")).toMatchObject({
    score: 0.6,
    evidence: {
      measures: [{ measure: "sent_to_destination", observed: 89 * MiB, expected: 0, unit: "bytes" }],
      destinations: ["drop.example"],
    },
  });
});

test("exfiltration: a call, which receives as much as it sends, is none", () => {
  const it = observed();
  it.live(16);
  it.at(it.now() + 9 * hourMs);
  it.send({ name: "", address: "20.1.9.9", sent: 300 * MiB, received: 300 * MiB });
  expect(it.kinds()).toEqual([]);
});

test("exfiltration: of a device without destinations, and to known ones, the volume of 24 hours counts", () => {
  for (const isCounted of [true, false]) {
    const it = observed({ isCounted });
    it.live(16);
    it.at(it.now() + 9 * hourMs);
    it.send({ sent: 390 * MiB });
    expect(it.kinds()).toEqual([]);
    it.at(it.now() + 2 * hourMs);
    it.send({ sent: 300 * MiB });
    expect(it.last("exfiltration")).toMatchObject({ evidence: { measures: [{ measure: "sent_in_day" }] } });
  }
});

test("exfiltration: a daily upload of the same size is the baseline", () => {
  const it = observed();
  for (let day = 0; day < 20; day += 1) {
    it.at(beginMs + day * dayMs + 2 * hourMs);
    it.send({ sent: 900 * MiB });
  }
  expect(it.kinds()).toEqual([]);
});

test("no detector reports before the device was observed on as many days as are set", () => {
  for (const [days, kinds] of [
    [9, []],
    [12, ["exfiltration"]],
  ] as const) {
    const it = observed();
    it.live(days);
    it.at(it.now() + hourMs);
    it.send({ name: "drop.example", sent: 900 * MiB, received: 0 });
    expect(it.kinds()).toEqual(kinds);
  }
});

/** Contacts with the given intervals, in seconds. */
function contacts(intervals: readonly number[], name = "c2.example") {
  const it = observed();
  it.live(16);
  for (const seconds of intervals) {
    it.at(it.now() + seconds * 1000);
    it.send({ name });
  }
  return it;
}

test("beaconing: regular contacts to a new destination are found after six hours, with their interval", () => {
  const random = randomFrom(7);
  const regular = (count: number) => Array.from({ length: count }, () => 600 * (0.9 + 0.2 * random()));
  expect(contacts(regular(30)).kinds()).toEqual([]);
  const it = contacts(regular(60));
  expect(it.kinds()).toEqual(["beaconing"]);
  expect(it.last("beaconing")?.evidence).toMatchObject({ destinations: ["c2.example"] });
  const interval = it.last("beaconing")!.evidence.measures.find(({ measure }) => measure === "interval")!;
  expect(Math.abs(interval.observed - 600)).toBeLessThan(30);
});

test("beaconing: contacts that fail, and a night without any, leave it found", () => {
  const day = [600, 600, 1200, 600, 600, 600, 1200, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600];
  expect(contacts([...day, 9 * 3600, ...day, 9 * 3600, ...day]).kinds()).toContain("beaconing");
});

test("beaconing: a burst of contacts at the beginning leaves it found", () => {
  const burst = [20, 25, 30, 20, 20, 30];
  expect(contacts([...burst, ...Array.from({ length: 60 }, () => 600)]).kinds()).toEqual(["beaconing"]);
});

test("beaconing: irregular contacts, and regular ones to a known destination, are none", () => {
  const random = randomFrom(7);
  const irregular = Array.from({ length: 300 }, () => -600 * Math.log(1 - random()));
  expect(contacts(irregular).kinds()).not.toContain("beaconing");
  const regular = Array.from({ length: 100 }, () => 600);
  expect(contacts(regular, "known.example").kinds()).not.toContain("beaconing");
  expect(contacts(regular).kinds()).toContain("beaconing");
});

const letters = "abcdefghijklmnopqrstuvwxyz234567";
function randomNames(count: number, length: number, domain: string): string[] {
  const random = randomFrom(length);
  const label = () => Array.from({ length }, () => letters[Math.floor(random() * 32)]).join("");
  return Array.from({ length: count }, () => `${label()}.${domain}`);
}

test("DNS tunnelling: many long random names below one domain are found, with their number and entropy", () => {
  const it = observed();
  it.live(16);
  it.query(randomNames(30, 50, "t.example"));
  expect(it.kinds()).toEqual([]);
  it.query(randomNames(200, 50, "t.example"));
  const { evidence, score } = it.last("dns_tunnelling")!;
  expect(evidence).toMatchObject({ domain: "t.example", destinations: [] });
  expect(score).toBeGreaterThan(0.7);
  const names = evidence.measures.find(({ measure }) => measure === "names")!.observed;
  expect(Math.abs(names - 200)).toBeLessThan(40);
});

test("DNS tunnelling: short names, repeated ones, reverse lookups and a domain of the baseline are none", () => {
  const it = observed();
  it.query(randomNames(300, 32, "scanner.example"));
  it.live(16);
  for (const names of [
    randomNames(300, 12, "cdn.example"),
    Array.from({ length: 300 }, () => randomNames(1, 50, "one.example")).flat(),
    randomNames(300, 40, "ip6.arpa"),
    randomNames(300, 32, "scanner.example"),
  ]) {
    it.query(names);
    it.at(it.now() + hourMs);
  }
  expect(it.kinds()).toEqual([]);
  it.query(randomNames(300, 32, "other.example"));
  expect(it.kinds()).toEqual(["dns_tunnelling"]);
});

test("new country: repeated connections to a new destination there are found; a visit, and a provider that moves, are not", () => {
  const it = observed();
  it.live(16);
  const repeat = (sent: Sent, times: number) => {
    for (let n = 0; n < times; n += 1) {
      it.at(it.now() + 1_800_000 + (n % 2) * 5_400_000);
      it.send(sent);
    }
  };
  repeat({ name: "page.example", address: "20.8.0.1" }, 2);
  repeat({ name: "known.example", address: "20.9.0.1" }, 20);
  expect(it.kinds()).toEqual([]);
  repeat({ name: "far.example", address: "20.7.0.1" }, 6);
  expect(it.kinds()).toEqual(["new_country"]);
  expect(it.last("new_country")).toMatchObject({ evidence: { country: "NZ", destinations: ["far.example"] } });
});

test("unusual hours: the volume of the day in the night is found after two hours; a larger one at any hour is not", () => {
  const night = (received: number) => {
    const it = observed();
    it.live(31);
    it.at(it.now() + dayMs);
    for (let hour = 2; hour < 6; hour += 1) {
      it.at(beginMs + 32 * dayMs + hour * hourMs + 1);
      it.send({ received });
    }
    return it;
  };
  expect(night(20 * MiB).kinds()).toEqual(["unusual_hours"]);
  expect(night(5000 * MiB).kinds()).toEqual([]);
  expect(night(0).kinds()).toEqual([]);
});

test("unusual hours: a night of the third weekend is found; use close to the hours of working days, or in the second weekend, is not", () => {
  const used = (day: number, from: number) => {
    const it = observed();
    // Only on working days.
    for (let monday = 0; monday < day - 5; monday += 7) {
      it.at(beginMs + monday * dayMs);
      it.live(monday + 5);
    }
    for (let hour = from; hour < from + 4; hour += 1) {
      it.at(beginMs + day * dayMs + hour * hourMs + 1);
      it.send({ received: 20 * MiB });
    }
    return it.kinds();
  };
  expect(new Date(beginMs + 20 * dayMs).getUTCDay()).toBe(0);
  expect(used(20, 2)).toEqual(["unusual_hours"]);
  expect(used(20, 16)).toEqual([]);
  expect(used(13, 2)).toEqual([]);
});

test("query rate: more queries within an hour than several times the largest hour are found", () => {
  const it = observed({ isCounted: true });
  it.live(16);
  it.query(Array.from({ length: 1000 }, () => "a.example"));
  expect(it.kinds()).toEqual([]);
  it.query(["a.example"]);
  expect(it.last("query_rate")?.evidence.measures).toEqual([
    { measure: "queries_in_hour", observed: 1001, expected: 1, unit: "queries" },
  ]);
});

test("sensitivity: high reports a smaller deviation than medium, and low does not report what medium does", () => {
  const reports = (sensitivity: keyof typeof thresholds, sent: number) => {
    const it = observed({ sensitivity });
    it.live(16);
    it.at(it.now() + 9 * hourMs);
    it.send({ name: "drop.example", sent, received: 0 });
    return it.kinds().length > 0;
  };
  expect([reports("low", 40 * MiB), reports("medium", 40 * MiB), reports("high", 40 * MiB)]).toEqual([
    false,
    false,
    true,
  ]);
  expect([reports("low", 80 * MiB), reports("medium", 80 * MiB)]).toEqual([false, true]);
  expect(reports("low", 200 * MiB)).toBe(true);
});

test("profile: its size is the same whatever a device does, and it is read as it was written", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.domain(), fc.ipV4(), fc.nat(1e9), fc.nat(1e7)), { maxLength: 60 }), (acts) => {
      const it = observed();
      const empty = writeProfile(it.profile).length;
      for (const [name, address, sent, waitMs] of acts) {
        it.at(it.now() + waitMs);
        it.send({ name, address, sent });
        it.query([name]);
      }
      const text = writeProfile(it.profile);
      expect(readProfile(text)).toEqual(it.profile);
      expect(text.length - empty).toBeLessThan(600);
    }),
    { numRuns: 30 },
  );
  expect(profileBytes).toBeLessThan(8192);
});
