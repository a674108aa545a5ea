import { api } from "@portcullis/contract/api";
import { toRequest } from "@portcullis/contract/client";
import { pathFields } from "@portcullis/contract/endpoint";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Command, commandsOf } from "./commands.ts";
import { inputOf } from "./input.ts";

const commands = commandsOf(api);
const named = (words: string) => commands.find((command) => command.words.join(" ") === words)!;

test("CLI input: an id goes into the path and the JSON into the body", () =>
  expect(inputOf(named("devices update"), { id: "7" }, { name: "printer" })).toEqual({
    params: { id: "7" },
    body: { name: "printer" },
  }));

test("CLI input: an argument that is not in the path is a field of the body", () =>
  expect(inputOf(named("rollback"), { snapshot: "12" }, undefined)).toEqual({ params: {}, body: { snapshot: "12" } }));

test("CLI input: an argument of an endpoint without a body is a field of the query", () => {
  const [differences] = commandsOf({
    snapshots: { differences: { ...api.snapshots.differences, cli: { words: ["differences"], args: ["id", "to"] } } },
  });
  expect(inputOf(differences!, { id: "1", to: "2" }, undefined)).toEqual({ params: { id: "1" }, query: { to: "2" } });
});

const bodyOf = ({ endpoint, args, json }: Command, word: string) =>
  endpoint.body === undefined
    ? null
    : json === "never"
      ? Object.fromEntries(args.filter((arg) => !pathFields(endpoint.path).includes(arg)).map((arg) => [arg, word]))
      : { sent: word };

/** Dots alone are refused: a URL that had them for a step would mean another place. */
const typed = fc.string({ unit: "grapheme", minLength: 1 }).filter((word) => !/^\.{1,2}$/.test(word));

test("CLI input: whatever is typed can be read back from the request", () =>
  fc.assert(
    fc.property(fc.constantFrom(...commands), typed, (command, word) => {
      const args = Object.fromEntries(command.args.map((arg) => [arg, word]));
      const { method, url, body } = toRequest(command.endpoint, inputOf(command, args, { sent: word }));
      const pattern = command.endpoint.path.replace(/\{\w+\}/g, "([^/?]*)");
      const inPath = new RegExp(`^${pattern}$`).exec(url)!.slice(1);

      expect(method).toBe(command.endpoint.method);
      expect(inPath.map(decodeURIComponent)).toEqual(pathFields(command.endpoint.path).map(() => word));
      expect(JSON.parse(body ?? "null")).toEqual(bodyOf(command, word));
    }),
  ));
