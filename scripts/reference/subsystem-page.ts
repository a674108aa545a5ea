import { basePath } from "@portcullis/contract/api";
import {
  auditAction,
  type Endpoint,
  type Endpoints,
  errorsOf,
  type Method,
  pathFields,
} from "@portcullis/contract/endpoint";
import { type ProblemCode, problems } from "@portcullis/contract/problem";
import { commandsOf, usage } from "../../cli/src/commands.ts";
import type { JsonSchema } from "../../cli/src/fields.ts";
import { curl } from "./example.ts";
import { byStatus } from "./errors-page.ts";
import { anchor, blocks, bullets, code, fenced, generated, link } from "./markdown.ts";
import { answerTable, inputTable, linkedType, shapesIn } from "./shapes.ts";

/** All endpoints of one subsystem, then the shapes they answer with. */
export function subsystemPage(name: string, endpoints: Endpoints): string {
  const sorted = inOrder(Object.values(endpoints));
  const shapes = new Map(sorted.flatMap(({ result }) => [...shapesIn(result as JsonSchema)]));
  return blocks(
    generated,
    `# ${titleOf(name)}: endpoints`,
    bullets(sorted.map((it) => `${link(lineOf(it), anchor(lineOf(it)))}: ${it.summary}`)),
    ...sorted.map(endpointSection),
    shapes.size > 0 ? "## Shapes" : undefined,
    ...[...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([title, it]) => shapeSection(title, it)),
  );
}

/** `deviceGroups` → `api/device-groups.md` */
export const subsystemPath = (name: string): string =>
  `api/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

/** `deviceGroups` → `Device groups` */
export const titleOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());

/** `GET /api/v1/devices`: what an endpoint is called in headings. */
export const lineOf = ({ method, path }: Pick<Endpoint, "method" | "path">): string => `${method} ${basePath}${path}`;

const methods: readonly Method[] = ["GET", "POST", "PUT", "DELETE"];

/** By path, then reading before changing before deleting. */
export const inOrder = (endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.toSorted((a, b) =>
    a.path === b.path ? methods.indexOf(a.method) - methods.indexOf(b.method) : a.path < b.path ? -1 : 1,
  );

function endpointSection(endpoint: Endpoint): string {
  const { summary, description, params, query, body, bodyOptional, status = 200 } = endpoint;
  return blocks(
    `## ${lineOf(endpoint)}`,
    [`${summary}.`, description].filter((part) => part !== undefined).join(" "),
    bullets(facts(endpoint)),
    titled("Path", params),
    titled("Query", query),
    titled(bodyOptional ? "Body, which may be left out" : "Body", body),
    `Answers ${status}: ${answerOf(endpoint)}.`,
    shapesIn(endpoint.result as JsonSchema).size > 0 ? undefined : answerTable(endpoint.result as JsonSchema),
    `Errors: ${errorsOf(endpoint).toSorted(byStatus).map(errorWord).join(", ")}. See ${link("errors", "../errors.md")}.`,
    fenced("sh", curl(endpoint)),
  ).trimEnd();
}

function facts(endpoint: Endpoint): (string | undefined)[] {
  const { role, audit, paged, throttled, aliases = [], path, method } = endpoint;
  const [command] = commandsOf({ it: { endpoint } });
  return [
    role === "anyone"
      ? "Needs no credential"
      : `Required role: ${code(role)}${role === "either" ? " (viewer or diagnostics)" : ""}`,
    audit && `Audited as ${code(auditAction(audit))}`,
    paged && `Comes in pages: the headers ${code("Link")} and ${code("X-Total-Count")} lead through them`,
    throttled && "At most ten calls a minute",
    ...aliases.map((alias) => {
      const displaced = pathFields(path).filter((field) => !pathFields(alias).includes(field));
      return `Also at ${code(lineOf({ method, path: alias }))}, with ${displaced.map(code).join(", ")} in the query or the body`;
    }),
    command && `Command: ${code(usage(command))}`,
  ];
}

function titled(title: string, schema: unknown): string | undefined {
  const fields = schema === undefined ? undefined : inputTable(schema as JsonSchema);
  return fields === undefined ? undefined : `${title}:\n\n${fields}`;
}

const answerOf = ({ result, responseType, alternativeType }: Endpoint): string =>
  responseType === "text/html" || responseType === "text/plain"
    ? [responseType, ...(alternativeType ? [alternativeType] : [])].map(code).join(" or ")
    : `${linkedType(result as JsonSchema)}${responseType === undefined ? "" : ` in each message of a ${code(responseType)}`}`;

const errorWord = (word: ProblemCode): string => `${code(word)} ${problems[word].status}`;

export const shapeSection = (title: string, shape: JsonSchema): string =>
  blocks(`### ${title}`, shape.description, answerTable(shape) ?? "No fields.").trimEnd();
