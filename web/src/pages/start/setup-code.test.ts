import { expect, test } from "vitest";
import { codeFrom } from "./setup-code.ts";

test.each([
  ["#setup=7K3M-9QXT-2WVB", "7K3M-9QXT-2WVB"],
  ["#setup=7K3M-9QXT-2WVB&more=1", "7K3M-9QXT-2WVB"],
  ["", ""],
  ["#", ""],
  ["#elsewhere", ""],
])("the setup code in %j is %j", (hash, code) => expect(codeFrom(hash)).toBe(code));
