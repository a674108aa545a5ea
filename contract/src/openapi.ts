import Type, { type TObject, type TSchema } from "typebox";
import { basePath } from "./api.ts";
import { type Api, auditAction, type Endpoint, errorsOf, operations, pathFields } from "./endpoint.ts";
import { type ProblemCode, problems } from "./problem.ts";
import { named } from "./values.ts";

type Json = Record<string, unknown>;

export const ErrorEnvelope = named(
  "Error",
  Type.Object({
    error: Type.Object({
      code: Type.Enum(Object.keys(problems) as ProblemCode[], { type: "string" }),
      message: Type.String(),
      details: Type.Record(Type.String(), Type.Unknown()),
    }),
  }),
);

/** The OpenAPI 3.1 document, derived from the contract. */
export function openapi(api: Api, version: string): Json {
  const components = hoister();
  const paths: Record<string, Json> = {};
  for (const { subsystem, name, endpoint } of operations(api))
    for (const [index, path] of [endpoint.path, ...(endpoint.aliases ?? [])].entries())
      (paths[`${basePath}${path}`] ??= {})[endpoint.method.toLowerCase()] = operation(
        `${subsystem}.${name}${index === 0 ? "" : `.${index}`}`,
        subsystem,
        { ...endpoint, path },
        components.hoist,
      );
  components.hoist(ErrorEnvelope);
  return {
    openapi: "3.1.0",
    info: {
      title: "Portcullis",
      version,
      description: "A network privacy gateway: devices, policies, tunnels, DNS, and proof that nothing leaks.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The gateway that serves this document" }],
    security: [{ bearer: [] }, { session: [] }],
    tags: Object.keys(api).map((name) => ({ name, description: `Operations of ${spaced(name)}` })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "gateway_session",
          description: "Set by POST /auth/login; over TLS its name is __Host-gateway_session",
        },
      },
      schemas: components.schemas(),
    },
  };
}

type Hoist = (schema: unknown) => unknown;

function operation(operationId: string, tag: string, endpoint: Endpoint, hoist: Hoist): Json {
  const {
    summary,
    description,
    role,
    audit,
    status = 200,
    responseType = "application/json",
    alternativeType,
    result,
    paged,
  } = endpoint;
  const { path, query, body } = placed(endpoint);
  const notes = [description, `Required role: ${role}.`, audit && `Audited as \`${auditAction(audit)}\`.`];
  const errors = Object.entries(Object.groupBy(errorsOf(endpoint), (code) => String(problems[code].status)));
  return {
    operationId,
    tags: [tag],
    summary,
    description: notes.filter(Boolean).join(" "),
    ...(role === "anyone" && { security: [] }),
    parameters: [...parameters(path, "path", hoist), ...parameters(query, "query", hoist)],
    ...(body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: {
          [endpoint.requestType ?? "application/json"]: { schema: hoist(body) },
          ...(endpoint.yaml && { "application/yaml": { schema: hoist(body) } }),
        },
      },
    }),
    responses: {
      [status]: {
        description: status === 201 ? "Created" : "Done",
        ...(paged && { headers: pageHeaders }),
        ...(status === 201 && {
          headers: { Location: { description: "URL of the created resource", schema: { type: "string" } } },
        }),
        content: {
          [responseType]: { schema: hoist(result) },
          ...(alternativeType && { [alternativeType]: { schema: hoist(result) } }),
        },
      },
      ...Object.fromEntries(errors.map(([code, codes]) => [code, refusal(codes!.join(", "), hoist)])),
      default: refusal("Any other error, in the same envelope", hoist),
    },
  };
}

const refusal = (description: string, hoist: Hoist): Json => ({
  description,
  content: { "application/json": { schema: hoist(ErrorEnvelope) } },
});

const pageHeaders = {
  "X-Total-Count": { description: "Total number of rows, if it is cheap to compute", schema: { type: "integer" } },
  Link: { description: 'URL of the next page, with rel="next"', schema: { type: "string" } },
};

/** The location of each input field. Path parameters that an alias does not contain move to the query. */
export function placed({ path, params, query, body }: Endpoint): {
  path: TObject;
  query: TObject;
  body: TSchema | undefined;
} {
  const inPath = pathFields(path);
  const fields = Object.entries(params?.properties ?? {});
  const displaced = fields.filter(([name]) => !inPath.includes(name));
  return {
    path: Type.Object(Object.fromEntries(fields.filter(([name]) => inPath.includes(name)))),
    query: Type.Object({ ...Object.fromEntries(displaced), ...query?.properties }, { additionalProperties: false }),
    body,
  };
}

function parameters(schema: TObject, where: "path" | "query", hoist: Hoist): Json[] {
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description } = property as { description?: string };
    const required = where === "path" || (schema.required ?? []).includes(name);
    return { name, in: where, required, ...(description && { description }), schema: hoist(property) };
  });
}

/** Moves every schema with a title into the components and leaves a reference in its place. */
function hoister(): { hoist: Hoist; schemas: () => Json } {
  const schemas: Json = {};
  function hoist(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(hoist);
    if (schema === null || typeof schema !== "object") return schema;
    const { title, ...rest } = schema as { title?: string };
    const plain = Object.fromEntries(
      Object.entries(rest)
        .filter(([key]) => !key.startsWith("~"))
        .map(([key, value]) => [key, key === "properties" ? hoistEach(value as object) : hoist(value)]),
    );
    if (title === undefined) return plain;
    const whole = { title, ...plain };
    if (title in schemas && JSON.stringify(schemas[title]) !== JSON.stringify(whole))
      throw new Error(`Two schemas have the title ${title}`);
    schemas[title] = whole;
    return { $ref: `#/components/schemas/${title}` };
  }
  // The names in here are fields, not keywords: a field may well be called title.
  const hoistEach = (properties: object): object =>
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, hoist(schema)]));
  return { hoist, schemas: () => Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

const spaced = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
