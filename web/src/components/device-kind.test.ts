import { expect, test } from "vitest";
import { iconOf } from "./device-kind.ts";

test.each([
  [{ name: "Kitchen TV", vendor: "Loewe" }, "tv"],
  [{ name: "Ben's phone" }, "phone"],
  [{ name: "Wohnzimmer", hostname: "sonos-one" }, "speaker"],
  [{ name: "ana-laptop.lan" }, "laptop"],
  [{ name: "Office", vendor: "Synology Inc." }, "nas"],
  [{ name: "Porch camera", vendor: "Fairphone" }, "camera"],
  [{ name: "unknown-4f", hostname: null, vendor: null }, "devices"],
  [{ name: "Stable" }, "devices"],
])("device icon: %j gets the drawing %s", (device, icon) => {
  expect(iconOf(device)).toBe(icon);
});
