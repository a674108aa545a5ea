import { expect, test } from "vitest";
import { api } from "./api.ts";
import { errorsOf, operations } from "./endpoint.ts";
import { envelope, Problem, type ProblemCode, problems } from "./problem.ts";

const codes = Object.keys(problems) as ProblemCode[];

/** Returned before an endpoint is known, so that no endpoint lists them. */
const serverOnly: readonly ProblemCode[] = ["method_not_allowed", "request_timeout"];

/** Registered for future subsystems. */
const awaited: readonly ProblemCode[] = [];

test("problem codes: each is listed by an endpoint, by the server or as future, and by one of them only", () => {
  const listed = new Set(operations(api).flatMap(({ endpoint }) => errorsOf(endpoint)));
  expect([...listed, ...serverOnly, ...awaited].toSorted()).toEqual(codes.toSorted());
});

test.each(codes)("problem codes: problem code %s has an error status and a unique message", (code) => {
  const { status, message } = problems[code];
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  expect(message).toMatch(/^[A-Z].*[^.]$/);
  expect(codes.filter((it) => problems[it].message === message)).toEqual([code]);
});

test("problem codes: each code has the status people know it by", () =>
  expect(Object.fromEntries(codes.map((code) => [code, problems[code].status]))).toEqual({
    invalid_request: 400,
    invalid_json: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    method_not_allowed: 405,
    request_timeout: 408,
    conflict: 409,
    policy_conflict: 409,
    in_use: 409,
    already_configured: 409,
    limit_reached: 409,
    change_pending: 409,
    payload_too_large: 413,
    unsupported_media_type: 415,
    rate_limited: 429,
    secrets_undecipherable: 500,
    internal: 500,
    not_supported: 501,
    engine_failed: 502,
    engine_unavailable: 503,
  }));

test("problem codes: a problem travels as code, message and details, and details are always an object", () => {
  expect(envelope(new Problem("not_found"))).toEqual({
    error: { code: "not_found", message: problems.not_found.message, details: {} },
  });
  const cause = new Error("deeper");
  const problem = new Problem("conflict", { field: "name" }, { message: "Another device has this name", cause });
  expect(envelope(problem)).toEqual({
    error: { code: "conflict", message: "Another device has this name", details: { field: "name" } },
  });
  expect([problem.status, problem.cause, problem instanceof Error]).toEqual([409, cause, true]);
});
