import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { expect, test } from "vitest";
import { en } from "../../i18n/en/en.ts";
import { causeText, historyOf, rowText } from "./history-text.ts";

const snapshot = (id: string, cause: string, at: string): Snapshot => ({
  id,
  cause,
  created_at: at,
  actor: "anna",
  digest: "",
  changed: 1,
  pinned: false,
  note: "",
  current: false,
});

test("history: a snapshot that reverted another one names it and the reason", () => {
  const rows = historyOf(
    [
      snapshot("6", "revert_change", "2026-01-01T00:00:10.000Z"),
      snapshot("5", "apply_routing_policies", "2026-01-01T00:00:00.000Z"),
    ],
    [
      {
        id: 1,
        timestamp: "2026-01-01T00:00:10.004Z",
        actor: "system",
        action: "revert_change",
        resource_type: "change",
        resource_id: "5",
        details: { reason: "not confirmed in time", reverted_to: "4" },
      },
    ],
  );
  expect(rows.map((row) => [rowText(row, en.changes), row.wasReverted])).toEqual([
    ["Reverted #5: it was not confirmed in time", false],
    ["Applied staged changes", true],
  ]);
});

test("history: a snapshot without an audit entry still has a description", () => {
  const [row] = historyOf([snapshot("6", "revert_change", "2026-01-01T00:00:10.000Z")], []);
  expect(rowText(row!, en.changes)).toBe("Reverted a change");
});

test("history: causes have text, or are shown as they are", () => {
  expect(causeText("create_device", en.changes.cause)).toBe("Added a device");
  expect(causeText("update_dns_zone", en.changes.cause)).toBe("Changed dns zone");
  expect(causeText("reconcile_enforcement", en.changes.cause)).toBe("reconcile enforcement");
});
