import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Type from "typebox";
import { expect, test } from "vitest";
import { api, basePath } from "./api.ts";
import { errorsOf, operations, pathFields } from "./endpoint.ts";
import { openapi, placed } from "./openapi.ts";
import { problems } from "./problem.ts";
import { named } from "./values.ts";

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, unknown>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const document = openapi(api, "1.2.3");
const paths = document["paths"] as Paths;
const { schemas } = document["components"] as { schemas: Record<string, unknown> };

/** Every place an endpoint answers at, as the document should have it. */
const places = operations(api).flatMap(({ subsystem, name, endpoint }) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({
    subsystem,
    name,
    endpoint: { ...endpoint, path },
    line: `${endpoint.method} ${basePath}${path}`,
  })),
);

const described = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
);

test("OpenAPI: every operation of the contract is in the document, and nothing else is", () =>
  expect(described.map(({ line }) => line).toSorted()).toEqual(places.map(({ line }) => line).toSorted()));

test("OpenAPI: no two endpoints answer at the same place", () =>
  expect(new Set(places.map(({ line }) => line)).size).toBe(places.length));

test("OpenAPI: operation ids are unique", () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(places)(
  "OpenAPI: $line says where each of its fields travels and what it can answer",
  ({ endpoint, line }) => {
    const operation = described.find((it) => it.line === line)!.operation;
    const { path, query } = placed(endpoint);
    const names = (where: string) => operation.parameters.filter((it) => it.in === where).map(({ name }) => name);
    const statuses = errorsOf(endpoint).map((code) => String(problems[code].status));

    expect(names("path").toSorted()).toEqual(pathFields(endpoint.path).toSorted());
    expect(Object.keys(path.properties).toSorted()).toEqual(pathFields(endpoint.path).toSorted());
    expect(names("query")).toEqual(Object.keys(query.properties));
    expect(operation.requestBody?.required).toBe(endpoint.body && !endpoint.bodyOptional);
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining([String(endpoint.status ?? 200), ...statuses]),
    );
    expect(operation.security).toEqual(endpoint.role === "anyone" ? [] : undefined);
  },
);

test("OpenAPI: every reference leads to a component, and every component is referred to", () => {
  const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(new Set(referred)).toEqual(new Set(Object.keys(schemas)));
});

test("OpenAPI: two different schemas cannot share a name", () => {
  const twice = [Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })].map((it) => named("Twice", it));
  const [first, second] = twice.map((result) => ({ ...api.status.health, result }));
  const clash = { one: { first: first! }, two: { second: { ...second!, path: "/second" as const } } };
  expect(() => openapi(clash, "1")).toThrow("Two schemas have the title Twice");
});

test("OpenAPI: nothing of the schema library's own is left in the document", () =>
  expect(JSON.stringify(document)).not.toMatch(/"~/));

test("OpenAPI: redocly finds nothing wrong with the document", async () => {
  const folder = await mkdtemp(join(tmpdir(), "portcullis-openapi-"));
  const file = join(folder, "openapi.json");
  try {
    await writeFile(file, JSON.stringify(document));
    const lint = ["--no-install", "redocly", "lint", "--extends=recommended-strict", "--format=json", file];
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };
    // With findings it exits with 1, and prints them on standard output.
    const { stdout } = await promisify(execFile)("npx", lint, { env }).catch((refused) => refused);
    const { problems } = JSON.parse(stdout) as { problems: { message: string }[] };
    expect(problems.filter(({ message }) => !message.endsWith(unambiguous))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** The id of an alert is a UUID, so that it is never the word "rules". */
const unambiguous = "two ambiguous paths: `/api/v1/alerts/{id}/acknowledge` and `/api/v1/alerts/rules/{id}`.";
