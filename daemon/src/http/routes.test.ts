import { api } from "@portcullis/contract/api";
import type { Handlers } from "@portcullis/contract/handler";
import { expect, test } from "vitest";
import { document } from "../../../testing/conformity.ts";
import { createApiServer } from "../../../testing/api-server.ts";

const noHandlers = Object.fromEntries(
  Object.entries(api).map(([subsystem, endpoints]) => [
    subsystem,
    Object.fromEntries(Object.keys(endpoints).map((name) => [name, () => ({})])),
  ]),
) as unknown as Handlers<typeof api>;

test("routes: the router knows the places of the document and no others", async () => {
  const app = createApiServer(api, noHandlers);
  await app.ready();
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routed = routesIn(app.printRoutes({ commonPrefix: false }));
  const { HEAD: heads = [], rest = [] } = Object.groupBy(routed, (it) => (it.startsWith("HEAD ") ? "HEAD" : "rest"));
  expect(rest.toSorted()).toEqual(described.toSorted());
  expect(heads.map((it) => it.replace("HEAD", "GET")).toSorted()).toEqual(
    rest.filter((it) => it.startsWith("GET ")).toSorted(),
  );
});

test("routes: the reader of the router's drawing follows branches", () =>
  expect(routesIn("├── /a (GET, POST)\n│   └── /:id (PUT)\n│       └── /b (GET)\n└── /c (DELETE)\n")).toEqual([
    "GET /a",
    "POST /a",
    "PUT /a/{id}",
    "GET /a/{id}/b",
    "DELETE /c",
  ]));

/** The router draws a tree; each branch is four signs deep. */
function routesIn(drawing: string): string[] {
  const trail: string[] = [];
  return drawing
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const [, indent, part, methods] = /^([│ ]*)[├└]── (\S+) \((.+)\)$/.exec(line)!;
      trail.length = indent!.length / 4;
      trail.push(part!.replace(/:(\w+)/g, "{$1}"));
      return methods!.split(", ").map((method) => `${method} ${trail.join("")}`);
    });
}
