import { expect, test } from "vitest";
import { decideTrust } from "./trust.ts";

const pins = ["sha256:a", "sha256:b"] as const;
const flags = [true, false] as const;
const cases = flags.flatMap((isVerified) =>
  flags.flatMap((hasCredential) =>
    [undefined, ...pins].map((pinned) => ({ isVerified, hasCredential, pinned, pin: pins[0] })),
  ),
);

test.each(cases)(
  "TLS trust: a peer without a matching pin gets no credential unless an authority vouches for it: %j",
  (shown) => {
    const { kind } = decideTrust(shown);
    const isKnown = shown.pinned === shown.pin || (shown.pinned === undefined && shown.isVerified);
    const otherwise = shown.pinned !== undefined ? "changed" : shown.hasCredential ? "unknown" : "pin";
    expect(kind).toBe(isKnown ? "accept" : otherwise);
  },
);
