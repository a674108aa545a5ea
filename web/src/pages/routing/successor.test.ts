import type { Policy } from "@portcullis/contract/subsystems/routing";
import { expect, test } from "vitest";
import { successorOf } from "./successor.ts";

const policy = (id: string, source_type: Policy["source_type"], source_value: string, enabled = true): Policy => ({
  id,
  name: id,
  source_type,
  source_value,
  priority: Number(id),
  enabled,
  hops: [],
  fail_policy: "fail-closed",
  splitting: false,
  profile_id: null,
});

test("successor: the next policy of the same source, of one of its groups, or of all traffic", () => {
  const own = policy("1", "device", "d");
  const others = [policy("2", "subnet", "10.0.0.0/8"), policy("3", "all", "", false), policy("5", "all", "")];
  expect(successorOf(own, [own, ...others], [])?.id).toBe("5");
  const group = policy("4", "device_group", "g");
  expect(successorOf(own, [own, group, ...others], ["g"])?.id).toBe("4");
  expect(successorOf(own, [own, group, ...others], [])?.id).toBe("5");
});

test("successor: the last policy has none", () => {
  const own = policy("9", "all", "");
  expect(successorOf(own, [policy("1", "all", ""), own], [])).toBeUndefined();
});
