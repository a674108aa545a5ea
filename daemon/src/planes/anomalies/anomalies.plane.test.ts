import { join } from "node:path";
import type { AnomalySettings } from "@portcullis/contract/subsystems/anomalies";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { randomFrom } from "../../../../testing/seed.ts";
import { openTextStore } from "../../ledger/text-store.ts";
import { anomalyPlane } from "./anomalies.plane.ts";
import { hasDestinations } from "./profile.ts";
import { anomalyStore } from "./stored.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const beginMs = Date.UTC(2026, 0, 5, 12);
const MiB = 1024 * 1024;

function opened(folder: string) {
  const levels = new Map<string, "full" | "counts" | "none">();
  const settings = { enabled: true, sensitivity: "medium", learning_days: 3 } as {
    -readonly [F in keyof AnomalySettings]: AnomalySettings[F];
  };
  const events: string[] = [];
  const open = () =>
    anomalyPlane({
      store: anomalyStore(
        openTextStore({ path: join(folder, "anomalies.db"), contents: "It", setAside: () => {}, warn: fail }),
      ),
      settings: () => settings,
      levelOf: (device) => levels.get(device) ?? "full",
      nameOf: (device) => `name of ${device}`,
      countries: () => undefined,
      announce: (name, payload) => void events.push(`${name} ${(payload as { name: string }).name}`),
    });
  let plane = open();
  const flow = (device: string, name: string, sentBytes: number) => ({
    device,
    sentBytes,
    receivedBytes: 0,
    connections: 1,
    to:
      levels.get(device) === "counts"
        ? undefined
        : {
            address: "192.0.2.7",
            name,
          },
  });
  return {
    levels,
    settings,
    events,
    plane: () => plane,
    reopen: () => {
      plane.close();
      plane = open();
    },
    send: (device: string, day: number, sentBytes = 1000, name = "known.example") =>
      plane.onFlows([flow(device, name, sentBytes)], beginMs + day * dayMs),
    learn: (...devices: string[]) => {
      for (let day = 0; day < 5; day += 1)
        for (const device of devices) plane.onFlows([flow(device, "known.example", 1000)], beginMs + day * dayMs);
    },
    kinds: () =>
      plane.anomalies().map(({ device, kind, endedMs }) => `${device} ${kind} ${endedMs === null ? "open" : "ended"}`),
    devices: () => plane.baselines().map(({ device }) => device),
  };
}

function fail(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}

test("anomalies: one cause is one anomaly, which ends, is announced twice, and opens again if it returns within a day", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.learn("a");
  for (const part of [6, 6.01, 6.02]) it.send("a", part, 90 * MiB, "drop.example");
  expect(it.kinds()).toEqual(["a exfiltration open"]);
  it.plane().round(beginMs + 6.02 * dayMs + 7 * hourMs);
  expect(it.kinds()).toEqual(["a exfiltration ended"]);
  it.send("a", 6.5, 90 * MiB, "drop.example");
  expect(it.kinds()).toEqual(["a exfiltration open"]);
  expect(it.events).toEqual(["detected", "ended", "detected"].map((event) => `anomaly.${event} name of a`));
  it.plane().round(beginMs + 8 * dayMs);
  it.send("a", 20, 2000 * MiB, "another.example");
  expect(it.kinds()).toEqual(["a exfiltration open", "a exfiltration ended"]);
  it.plane().round(beginMs + 120 * dayMs);
  it.plane().round(beginMs + 220 * dayMs);
  expect(it.kinds()).toEqual([]);
  it.plane().close();
});

test("anomalies: baselines and anomalies outlive the daemon", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.learn("a", "b");
  it.send("a", 6, 90 * MiB, "drop.example");
  it.reopen();
  expect([it.kinds(), it.devices()]).toEqual([["a exfiltration open"], ["a", "b"]]);
  it.send("b", 7, 90 * MiB, "drop.example");
  expect(it.kinds()).toEqual(["b exfiltration open", "a exfiltration open"]);
  it.plane().close();
});

test("anomalies: a device with the level none is not profiled, and what was stored is deleted with the change to it", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.levels.set("hidden", "none");
  it.learn("hidden", "a", "b");
  it.send("hidden", 6, 900 * MiB, "drop.example");
  it.send("a", 6, 90 * MiB, "drop.example");
  it.send("b", 6, 90 * MiB, "drop.example");
  expect(it.devices()).toEqual(["a", "b"]);
  it.levels.set("a", "none");
  it.plane().applyLevels();
  it.reopen();
  expect([it.devices(), it.kinds()]).toEqual([["b"], ["b exfiltration open"]]);
  it.plane().close();
});

test("anomalies: a change to counts deletes the known destinations and anomalies that name some; volumes are detected further", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.learn("a");
  it.send("a", 6, 90 * MiB, "drop.example");
  expect(it.kinds()).toEqual(["a exfiltration open"]);
  it.levels.set("a", "counts");
  it.plane().applyLevels();
  expect([it.kinds(), it.devices()]).toEqual([[], ["a"]]);
  it.send("a", 8, 3000 * MiB, "drop.example");
  expect(
    it
      .plane()
      .anomalies()
      .map(({ evidence }) => evidence.destinations),
  ).toEqual([[]]);
  it.plane().close();
});

test("anomalies: destinations of a device that has changed to counts since its traffic was attributed are not profiled", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.levels.set("b", "counts");
  it.plane().onFlows(
    ["a", "b"].map((device) => ({
      device,
      sentBytes: 1000,
      receivedBytes: 0,
      connections: 1,
      to: { address: "192.0.2.7", name: "known.example" },
    })),
    beginMs,
  );
  it.plane().close();
  const path = join(folder.path, "anomalies.db");
  const store = anomalyStore(openTextStore({ path, contents: "It", setAside: () => {}, warn: fail }));
  expect(store.profiles.map((one) => [one.device, hasDestinations(one)])).toEqual([
    ["a", true],
    ["b", false],
  ]);
  store.close();
});

test("anomalies: switched off, nothing is profiled, baselines are deleted and anomalies stay", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.learn("a");
  it.send("a", 6, 90 * MiB, "drop.example");
  it.settings.enabled = false;
  it.plane().applyLevels();
  it.send("a", 6.1);
  it.reopen();
  expect([it.devices(), it.kinds()]).toEqual([[], ["a exfiltration open"]]);
  it.settings.enabled = true;
  it.send("a", 6.2);
  expect(it.devices()).toEqual(["a"]);
  it.plane().close();
});

test("anomalies: with more learning days, a device that was ready learns again", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.learn("a");
  expect(it.plane().baselines()[0]).toMatchObject({ observedDays: 4, isLearned: true });
  it.settings.learning_days = 6;
  expect(it.plane().baselines()[0]).toMatchObject({ observedDays: 4, isLearned: false });
  it.plane().close();
});

test("anomalies: DNS tunnelling explains the number of queries, which is no second anomaly", () => {
  using folder = temporaryFolder();
  const it = opened(folder.path);
  it.learn("a", "b");
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  const random = randomFrom(1);
  const name = () => `${Array.from({ length: 40 }, () => letters[Math.floor(32 * random())]).join("")}.t.example`;
  for (let n = 0; n < 2000; n += 1) {
    it.plane().onQueries([{ device: "a", queries: 1, names: [name()] }], beginMs + 6 * dayMs);
    it.plane().onQueries([{ device: "b", queries: 1, names: ["known.example"] }], beginMs + 6 * dayMs);
  }
  expect(it.kinds().toSorted()).toEqual(["a dns_tunnelling open", "b query_rate open"]);
  it.plane().close();
});
