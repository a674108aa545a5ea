import Type, { type TObject, type TOptional, type TProperties, type TSchema } from "typebox";
import { endpoint } from "./endpoint.ts";
import type { ProblemCode } from "./problem.ts";
import type { RequiredRole } from "./role.ts";
import { IdOrName, named, nameDescription } from "./values.ts";

/** What distinguishes one resource from another. */
interface Plain<R extends TSchema, Q extends TProperties, O extends TProperties, F extends TProperties> {
  readonly path: `/${string}`;
  /** "device group": summaries, audit nouns and schema names are built from it. */
  readonly noun: string;
  /** Its name in the audit log and in references, if it differs from the noun. */
  readonly key?: string;
  readonly resource: R;
  /** Required and optional fields of a create. An update may contain any of them. */
  readonly required: Q;
  readonly optional: O;
  readonly filters?: F;
  /** The command's first word, where the specification gives one, and the columns of its table. */
  readonly cli?: string;
  readonly columns?: readonly string[];
  readonly read?: RequiredRole;
  readonly change?: RequiredRole;
  /** Further problems of create and update. */
  readonly createErrors?: readonly ProblemCode[];
  /** The specification puts update and delete on the collection itself for some resources. */
  readonly idInQuery?: boolean;
}

/** The five endpoints of a resource. */
export function collection<
  R extends TSchema,
  const Q extends TProperties,
  const O extends TProperties,
  const F extends TProperties = Record<never, never>,
>({
  path,
  noun,
  key = noun.replaceAll(" ", "_"),
  resource,
  required,
  optional,
  filters,
  cli,
  columns,
  read = "viewer",
  change = "operator",
  createErrors = [],
  idInQuery,
}: Plain<R, Q, O, F>) {
  const title = noun.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
  const one = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
  const params = Type.Object({ id: IdOrName(key, noun) });
  const aliases = idInQuery ? [path] : [];
  /** The shared Name schema describes the format only; here it gets the noun of its resource. */
  const described = <P extends TProperties>(fields: P): P => {
    const { name } = fields as { readonly name?: TSchema & { readonly description?: string } };
    if (name?.description !== nameDescription) return fields;
    return { ...fields, name: { ...name, description: `Name of the ${noun}, unique among them` } };
  };
  return {
    list: endpoint({
      method: "GET",
      path,
      role: read,
      summary: `List every ${noun}`,
      query: pageOf((filters ?? {}) as F),
      result: Type.Array(resource),
      paged: true,
      errors: [],
      ...(cli !== undefined && { cli: { words: [cli, "list"], columns: columns ?? ["id", "name"] } }),
    }),
    get: endpoint({
      method: "GET",
      path: `${path}/{id}`,
      role: read,
      summary: `Show one ${noun}`,
      params,
      result: resource,
      errors: ["not_found"],
      ...(cli !== undefined && { cli: { words: [cli, "get"], args: ["id"] } }),
    }),
    create: endpoint({
      method: "POST",
      path,
      role: change,
      summary: `Create ${one}`,
      body: named(`${title}Create`, closed({ ...described(required), ...optionals(described(optional)) })),
      result: resource,
      status: 201,
      errors: ["conflict", "limit_reached", "change_pending", ...createErrors],
      audit: { verb: "create", noun: key },
      ...(cli !== undefined && { cli: { words: [cli, "create"] } }),
    }),
    update: endpoint({
      method: "PUT",
      path: `${path}/{id}`,
      role: change,
      summary: `Change ${one}`,
      description: "Changes the fields given and keeps the others.",
      params,
      body: named(`${title}Update`, closed({ ...optionals(described(required)), ...optionals(described(optional)) })),
      result: resource,
      errors: ["not_found", "conflict", "change_pending", ...createErrors],
      audit: { verb: "update", noun: key },
      ...(cli !== undefined && { cli: { words: [cli, "update"], args: ["id"] } }),
      aliases,
    }),
    remove: endpoint({
      method: "DELETE",
      path: `${path}/{id}`,
      role: change,
      summary: `Delete ${one}`,
      params,
      result: Deleted,
      errors: ["not_found", "in_use", "change_pending"],
      audit: { verb: "delete", noun: key },
      ...(cli !== undefined && { cli: { words: [cli, "delete"], args: ["id"] } }),
      aliases,
    }),
  };
}

export const Deleted = named("Deleted", Type.Object({ id: Type.String(), deleted: Type.Literal(true) }));

/** An object schema that refuses unknown fields. */
export const closed = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false });

/** The body of a toggle. Without a body the toggle inverts the current state. */
export const Toggle = named("Toggle", closed({ enabled: Type.Boolean() }));

export const pageLimit = { default: 100, maximum: 1000 } as const;

/** The query of a paged list: start, size and filters. */
export const pageOf = <const F extends TProperties>(filters: F) =>
  closed({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: pageLimit.maximum,
        default: pageLimit.default,
        description: "Maximum number of rows",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: "^[A-Za-z0-9_-]+$",
        description: "From the Link header of the previous page",
      }),
    ),
    ...optionals(filters),
  });

/** The query of a list without pages: its size only. */
export const limitOnly = closed({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: pageLimit.maximum, description: "Maximum number of rows; all unless given" }),
  ),
});

type Optionals<P extends TProperties> = { [K in keyof P]: TOptional<P[K]> };

export const optionals = <P extends TProperties>(properties: P): Optionals<P> =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Type.Optional(schema)])) as Optionals<P>;
