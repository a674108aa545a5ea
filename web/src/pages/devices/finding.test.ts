import type { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { describe, expect, it } from "vitest";
import { countsOf, fitting, inOrder, rowsOf, type Wanted } from "./finding.ts";

const device = (id: string, fields: Partial<Device> = {}): Device => ({
  id,
  name: id,
  mac: null,
  hostname: null,
  ips: [],
  vendor: null,
  state: "known",
  notes: "",
  trust_class: null,
  privacy_class: null,
  profile_id: null,
  group_ids: [],
  first_seen: "2026-01-01T00:00:00Z",
  last_seen: null,
  ...fields,
});

const guests = { id: "guests", name: "Guests" } as PrivacyClass;
const family = { id: "family", name: "Family", default_privacy_class: "guests" } as TrustClass;
const belongings = { privacy: new Map([["guests", guests]]), trust: new Map([["family", family]]) };
const deviceStates = new Map([["tv", { state: "protected" as const, hops: [] }]]);

const rows = rowsOf(
  inOrder([
    device("tv", { mac: "02:00:00:00:00:01", ips: ["10.0.0.11"], group_ids: ["living"], vendor: "Samsung" }),
    device("phone", { hostname: "anas-phone", trust_class: "family" }),
    device("zz-new", { state: "new" }),
    device("Camera 10", { state: "quarantined" }),
    device("camera 9"),
  ]),
  deviceStates,
  belongings,
);
const all: Wanted = { text: "", posture: "", state: "", class: "", group: "", online: "" };
const found = (wanted: Partial<Wanted>) =>
  fitting(rows, { ...all, ...wanted }, new Set(["tv"])).map((row) => row.device.id);

describe("device list", () => {
  it("lists new devices first, then the others in natural name order", () => {
    expect(found({})).toEqual(["zz-new", "camera 9", "Camera 10", "phone", "tv"]);
  });
  it("returns the same array without filters, so that nothing is rendered again", () => {
    expect(fitting(rows, all, undefined)).toBe(rows);
  });
  it.each([
    ["SAMS 10.0.0", ["tv"]],
    ["02:00:00", ["tv"]],
    ["anas-", ["phone"]],
    ["samsung phone", []],
  ])("finds devices that contain every word of %j", (text, ids) => {
    expect(found({ text })).toEqual(ids);
  });
  it("filters by posture; a device without a posture is unknown", () => {
    expect(found({ posture: "protected" })).toEqual(["tv"]);
    expect(found({ posture: "unknown" })).toHaveLength(4);
  });
  it("filters by state and group", () => {
    expect(found({ state: "quarantined" })).toEqual(["Camera 10"]);
    expect(found({ group: "living" })).toEqual(["tv"]);
  });
  it("filters by presence, and not at all while it is unknown", () => {
    expect(found({ online: "yes" })).toEqual(["tv"]);
    expect(fitting(rows, { ...all, online: "yes" }, undefined)).toHaveLength(5);
  });
  it("finds devices by a class that their trust class brings", () => {
    expect(found({ class: "guests" })).toEqual(["phone"]);
    expect(found({ class: "family" })).toEqual(["phone"]);
  });
});

it("counts every device once by posture and once by state", () => {
  expect(countsOf(rows)).toEqual({
    all: 5,
    deviceState: { protected: 1, blocked: 0, direct: 0, leaking: 0, unknown: 4 },
    state: { known: 3, new: 1, quarantined: 1 },
  });
});
