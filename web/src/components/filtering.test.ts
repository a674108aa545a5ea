import { expect, test } from "vitest";
import { filteringOf } from "./filtering.ts";

const dns = { status: "running", backend: "integrated", filtering_enabled: true } as const;

test("filtering: off only where the gateway answers DNS queries and does not filter them", () => {
  expect(filteringOf(dns)).toBe("on");
  expect(filteringOf({ ...dns, filtering_enabled: false })).toBe("off");
  expect(filteringOf({ ...dns, status: "degraded", filtering_enabled: false })).toBe("off");
  expect(filteringOf({ ...dns, status: "failed", filtering_enabled: false })).toBe("absent");
  expect(filteringOf({ ...dns, backend: "extfilter", filtering_enabled: false })).toBe("absent");
  expect(filteringOf(undefined)).toBe("absent");
});
