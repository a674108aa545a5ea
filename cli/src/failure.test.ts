import { Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import { complaintOf, Misuse, Unreachable } from "./failure.ts";

test("CLI errors: a refusal of the gateway is printed with code, message and details", () =>
  expect(
    complaintOf(
      new Problem("invalid_request", {
        fields: [{ field: "body.nmae", problem: "is not a known field", did_you_mean: "name" }],
        limit: 3,
        allowed: ["GET", "PUT"],
      }),
    ),
  ).toEqual({
    status: 1,
    text:
      "invalid_request: The request does not match the contract\n" +
      '  body.nmae: is not a known field; did you mean "name"?\n' +
      "  limit: 3\n" +
      "  allowed:\n" +
      "    GET\n" +
      "    PUT\n",
  }));

test("CLI errors: what the sentence says is not said again in the details", () => {
  const mistakes = [
    { field: "body.id", problem: "is required" },
    { field: "body.name", problem: "is required" },
  ];
  const problem = new Problem("invalid_request", { fields: mistakes }, { message: "body.id: is required" });
  expect(complaintOf(problem).text).toBe("invalid_request: body.id: is required\n  body.name: is required\n");

  const missing = { id: "Kimm", did_you_mean: "Kim" };
  const message = 'No device has the name "Kimm"; did you mean "Kim"?';
  expect(complaintOf(new Problem("not_found", missing, { message })).text).toBe(`not_found: ${message}\n`);

  const candidates = [
    { id: "a1", name: "Kim" },
    { id: "b2", name: "Kim" },
  ];
  const both = new Problem("conflict", { name: "Kim", candidates }, { message: '2 are "Kim": a1, b2' });
  expect(complaintOf(both).text).toBe('conflict: 2 are "Kim": a1, b2\n');
});

test("CLI errors: without details there is one line", () =>
  expect(complaintOf(new Problem("not_found")).text).toBe("not_found: There is nothing here\n"));

test("CLI errors: a request that needs a credential fails with how to send one", () =>
  expect(complaintOf(new Problem("unauthorized")).text).toMatch(
    /^unauthorized: .+\n {2}Send an API key with PORTCULLIS_KEY/,
  ));

test("CLI errors: wrong usage is printed with the correct usage", () =>
  expect(complaintOf(new Misuse("<id> is missing", "portcullis devices get <id>"))).toEqual({
    status: 2,
    text: "usage: <id> is missing\n  portcullis devices get <id>\n",
  }));

test("CLI errors: a gateway out of reach has a status of its own", () =>
  expect(complaintOf(new Unreachable("No server answers"))).toEqual({
    status: 3,
    text: "unreachable: No server answers\n",
  }));

test("CLI errors: a message cannot steer the terminal either", () =>
  expect(complaintOf(new Problem("conflict", { "na\u001bme": "\u001b[2J" }, { message: "\u001b[31m" })).text).toBe(
    "conflict: \\u001b[31m\n  na\\u001bme: \\u001b[2J\n",
  ));

test("CLI errors: a bug rises", () => expect(() => complaintOf(new TypeError("oops"))).toThrow("oops"));
