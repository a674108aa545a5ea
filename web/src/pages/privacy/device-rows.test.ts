import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { de } from "../../i18n/de/de.ts";
import { reasonTexts } from "../../i18n/reason.ts";
import type { PrivacyOfDevice } from "../../components/privacy/verdicts.ts";
import { countsOf, fitting, countUsingDefaults, rowsOf, controlSourcesOf } from "./device-rows.ts";

const why = reasonTexts({ texts: de.reasons, number: String, ms: String, time: String });

const off = { on: false, from: "system" } as const;
const quiet = { force_dns: off, block_doh: off, block_ipv6: off, block_webrtc: off };
const device = (name: string, part: Partial<PrivacyOfDevice> = {}): PrivacyOfDevice => ({
  device_id: name,
  name,
  posture: "protected",
  ...explained(because("hops_all_up")),
  policy_id: null,
  exception_id: null,
  privacy_class: null,
  controls: quiet,
  attempts: 0,
  verdict: "no-leak",
  ...part,
});

test("controls: the most specific source first; a control that is off is listed only for a device's own setting", () => {
  expect(
    controlSourcesOf({
      force_dns: { on: true, from: "class" },
      block_doh: { on: false, from: "class" },
      block_ipv6: { on: false, from: "device" },
      block_webrtc: { on: true, from: "device" },
    }),
  ).toEqual([
    { from: "device", on: ["block_webrtc"], off: ["block_ipv6"] },
    { from: "class", on: ["force_dns"], off: [] },
  ]);
  expect(controlSourcesOf(quiet)).toEqual([]);
});

test("device rows: leaking and direct devices first; the search covers name, reason and state", () => {
  const rows = rowsOf(
    [
      device("tv"),
      device("camera", { posture: "blocked", ...explained(because("quarantined")) }),
      device("tablet", { verdict: "leaking" }),
      device("printer", { posture: "exposed" }),
    ],
    why,
  );
  const names = (found: typeof rows) => found.map((it) => it.device.name);
  expect(names(rows)).toEqual(["tablet", "printer", "camera", "tv"]);
  expect(names([...fitting(rows, " QUARANTÄN", "")])).toEqual(["camera"]);
  expect(names([...fitting(rows, "", "direct")])).toEqual(["printer"]);
  expect(fitting(rows, "tv", "direct")).toEqual([]);
  expect(countsOf(rows)).toEqual({ protected: 1, blocked: 1, direct: 1, leaking: 1, unknown: 0 });
});

test("device rows: devices with a class or with all controls of their own do not use the defaults", () => {
  const own = { on: true, from: "device" } as const;
  const all = { force_dns: own, block_doh: own, block_ipv6: own, block_webrtc: own };
  expect(
    countUsingDefaults([
      device("a"),
      device("b", { controls: { ...all, block_doh: off } }),
      device("c", { controls: all }),
    ]),
  ).toBe(2);
});
