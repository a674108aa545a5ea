import { expect, test } from "vitest";
import { bridgeWord, portState, portWord } from "./port.ts";

test("bridge port: a missing port is shown as missing", () => {
  const gone = { interface: "eth7", present: false, state: "unknown" } as const;
  expect([portWord(gone), portState(gone)]).toEqual(["missing", "blocked"]);
  const there = { interface: "eth1", present: true, state: "forwarding" } as const;
  expect([portWord(there), portState(there)]).toEqual(["forwarding", "protected"]);
  expect(portState({ interface: "eth1", present: true, state: "learning" })).toBe("unknown");
  expect(portState({ interface: "eth1", present: true, state: "blocking" })).toBe("blocked");
});

test("bridge port: switched off is not a fault", () => {
  const well = { enabled: true, status: "up", healthy: true } as const;
  expect(bridgeWord(well)).toBe("up");
  expect(bridgeWord({ ...well, healthy: false })).toBe("degraded");
  expect(bridgeWord({ ...well, enabled: false })).toBe("off");
  expect(bridgeWord({ ...well, status: "failed" })).toBe("failed");
  expect(bridgeWord({ ...well, status: "down" })).toBe("idle");
});
