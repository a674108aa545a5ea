import { expect, it } from "vitest";
import { addressesIn, draftOf, fieldsOf } from "./device-draft.ts";

it("device draft: reads addresses separated by commas, blanks or lines", () => {
  expect(addressesIn(" 10.0.0.1, fd00::1\n10.0.0.1;10.0.0.2 ")).toEqual(["10.0.0.1", "fd00::1", "10.0.0.2"]);
});

it("device draft: sends nothing for empty fields", () => {
  expect(fieldsOf({ ...draftOf(), name: " TV " }, false)).toMatchObject({
    name: "TV",
    mac: null,
    ips: [],
    trust_class: null,
  });
});

it("device draft: identifying a device marks it as known and changes nothing else", () => {
  expect(fieldsOf({ ...draftOf(), name: "TV", mac: "02:00:00:00:00:01" }, true)).toEqual({
    name: "TV",
    trust_class: null,
    privacy_class: null,
    group_ids: [],
    state: "known",
  });
});

it("device draft: starts with the MAC address of a device that was seen on the LAN", () => {
  expect(draftOf(undefined, "02:00:00:00:00:01")).toMatchObject({ name: "", mac: "02:00:00:00:00:01" });
  expect(draftOf().mac).toBe("");
});
