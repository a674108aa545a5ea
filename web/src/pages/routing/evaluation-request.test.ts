import { expect, test } from "vitest";
import { evaluationRequest } from "./evaluation-request.ts";

const blank = { from: "", to: "", name: "", staged: false, down: [] };

test("evaluation request: the source is a device by id or name, an address, or a MAC", () => {
  const of = (from: string) => evaluationRequest({ ...blank, from }, new Set(["d1"]));
  expect(of("d1")).toEqual({ device_id: "d1", staged: false });
  expect(of("Kitchen TV")).toEqual({ device_id: "Kitchen TV", staged: false });
  expect(of("10.0.0.5 ")).toEqual({ source: "10.0.0.5", staged: false });
  expect(of("fd00::1")).toEqual({ source: "fd00::1", staged: false });
  expect(of("02:00:00:00:00:01")).toEqual({ mac: "02:00:00:00:00:01", staged: false });
});

test("evaluation request: empty fields are omitted; hops assumed down are sent by target", () => {
  expect(
    evaluationRequest({ from: "d1", to: "9.9.9.9", name: "a.example", staged: true, down: ["t"] }, new Set(["d1"])),
  ).toEqual({
    device_id: "d1",
    destination: "9.9.9.9",
    domain: "a.example",
    hops_up: { t: false },
    staged: true,
  });
});
