import { type Api, type Endpoint, operations } from "@portcullis/contract/endpoint";
import { admits, roles } from "@portcullis/contract/role";
import { anchor, blocks, code, generated, link, table } from "./markdown.ts";
import { inOrder, lineOf, subsystemPath } from "./subsystem-page.ts";

/** roles.md: which role may call which endpoint. */
export function rolesPage(api: Api): string {
  const pathOf = new Map(operations(api).map(({ subsystem, endpoint }) => [endpoint, subsystemPath(subsystem)]));
  const row = (endpoint: Endpoint): string[] => [
    link(code(lineOf(endpoint)), `${pathOf.get(endpoint)}${anchor(lineOf(endpoint))}`),
    ...roles.map((role) => (admits(endpoint.role, role) ? "yes" : "")),
    endpoint.role === "anyone" ? "yes" : "",
  ];
  return blocks(
    generated,
    "# Roles",
    "Who may call which endpoint, while authentication is on.",
    table(["Endpoint", ...roles, "no credential"], inOrder([...pathOf.keys()]).map(row)),
  );
}
