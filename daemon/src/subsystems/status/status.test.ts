import { literal } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { worst } from "./status.routes.ts";

const components = (...states: Component["status"][]): Component[] =>
  states.map((status) => component(status, status, literal("")));

test.each<[Component["status"], Component["status"][]]>([
  ["ok", []],
  ["ok", ["ok", "ok"]],
  ["ok", ["off"]],
  ["ok", ["off", "ok"]],
  ["degraded", ["ok", "degraded", "off"]],
  ["failed", ["degraded", "failed"]],
  ["failed", ["failed", "ok", "degraded"]],
])("status: the whole is %s when its parts are %j", (whole, parts) => expect(worst(components(...parts))).toBe(whole));
