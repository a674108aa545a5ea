import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { controls, effectiveControls, effectiveClass, defaultPrivacy } from "./privacy-controls.ts";
import type { PrivacyClass, TrustClass } from "./subsystems/classes.ts";
import type { PrivacyDefaults } from "./subsystems/privacy.ts";

const flags = {
  force_dns: fc.boolean(),
  block_doh: fc.boolean(),
  block_ipv6: fc.boolean(),
  block_webrtc: fc.boolean(),
};
const voice: fc.Arbitrary<PrivacyDefaults> = fc.record({
  dns_mode: fc.constantFrom("off", "device", "system"),
  ...flags,
});
const own = fc.record(
  {
    force_dns: fc.option(fc.boolean()),
    block_doh: fc.option(fc.boolean()),
    block_ipv6: fc.option(fc.boolean()),
    block_webrtc: fc.option(fc.boolean()),
  },
  { requiredKeys: [] },
);
const classOf = (said: PrivacyDefaults): PrivacyClass => ({
  id: "c",
  name: "C",
  description: "",
  require_tunnel: false,
  default_fail_policy: "fail-closed",
  log_level: "none",
  ...said,
});
const control = fc.constantFrom(...controls);

describe("privacy controls: the most specific setting decides", () => {
  test("the device's own setting takes precedence", () =>
    fc.assert(
      fc.property(control, fc.boolean(), own, fc.option(voice), voice, (which, on, device, said, system) => {
        const held = effectiveControls({ ...device, [which]: on }, said ? classOf(said) : undefined, system);
        expect(held[which]).toEqual({ on, from: "device" });
      }),
    ));

  test("without its own setting the class decides, whatever the system default is", () =>
    fc.assert(
      fc.property(control, own, voice, voice, voice, (which, device, said, system, other) => {
        const silent = { ...device, [which]: null };
        const held = effectiveControls(silent, classOf(said), system)[which];
        expect(held.from).toBe("class");
        expect(held).toEqual(effectiveControls(silent, classOf(said), other)[which]);
      }),
    ));

  test("without device setting and class the system default decides", () =>
    fc.assert(
      fc.property(control, voice, (which, system) => {
        const { [which]: held } = effectiveControls({}, undefined, system);
        expect(held.from).toBe("system");
        // A class with the same settings has the same result, with another origin.
        expect(held.on).toBe(effectiveControls({}, classOf(system), defaultPrivacy)[which].on);
      }),
    ));

  test("no control has a say in another", () =>
    fc.assert(
      fc.property(control, fc.boolean(), own, fc.option(voice), voice, (which, on, device, said, system) => {
        const privacyClass = said ? classOf(said) : undefined;
        const { [which]: _, ...before } = effectiveControls(device, privacyClass, system);
        const { [which]: __, ...after } = effectiveControls({ ...device, [which]: on }, privacyClass, system);
        expect(after).toEqual(before);
      }),
    ));

  test.each([
    ["system", true, true],
    ["system", false, true],
    ["device", true, true],
    ["device", false, false],
    ["off", true, false],
    ["off", false, false],
  ] as const)("with dns_mode %s and force_dns %s names are led to the gateway: %s", (dns_mode, force_dns, on) => {
    const said = { ...defaultPrivacy, dns_mode, force_dns };
    expect(effectiveControls({}, undefined, said).force_dns).toEqual({ on, from: "system" });
    expect(effectiveControls({}, classOf(said), defaultPrivacy).force_dns).toEqual({ on, from: "class" });
  });
});

test("privacy controls: the class that holds is the device's own, else the one its trust class brings", () => {
  const strict = { ...classOf(defaultPrivacy), id: "strict" };
  const guest: TrustClass = {
    id: "guest",
    name: "Guest",
    description: "",
    level: 50,
    default_privacy_class: "strict",
    default_profile: null,
  };
  const held = (privacy_class: string | null, trust_class: string | null) =>
    effectiveClass(
      { privacy_class, trust_class },
      (id) => (id === "strict" ? strict : undefined),
      (id) => [guest, { ...guest, id: "plain", default_privacy_class: null }].find((it) => it.id === id),
    )?.id;
  expect(held("strict", null)).toBe("strict");
  expect(held(null, "guest")).toBe("strict");
  expect(held(null, "plain")).toBeUndefined();
  expect(held(null, "unknown")).toBeUndefined();
  expect(held(null, null)).toBeUndefined();
  // A deleted class has no effect, and the trust class does not replace it.
  expect(held("gone", "guest")).toBeUndefined();
});
