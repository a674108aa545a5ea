import Type, { type Static } from "typebox";
import { closed } from "../collection.ts";
import { sections } from "../config-sections.ts";
import { type DocumentedSchema, publishedSchema } from "../config-schema.ts";
import { endpoint } from "../endpoint.ts";
import { Name, named, notEnforcedFields, Nullable, OneOf, Timestamp } from "../values.ts";
import { confirmWithin, Snapshot } from "./history.ts";
import { Finding } from "./routing.ts";

/** Limits of one document. Parsing YAML costs several times as much as parsing JSON. */
export const documentLimits = { bytes: 8 << 20, yamlBytes: 1 << 20, resources: 20_000 } as const;

/** The resources of a document, by section. */
export interface ConfigDocument {
  readonly $schema?: string;
  readonly version?: 1;
  readonly owner?: string;
  readonly omitted?: readonly string[];
  readonly [section: string]: unknown;
}

const sectionFields = Object.fromEntries(
  sections.map(({ name, form, item }) => [
    name,
    form === "single" ? item : { type: "array", items: item, maxItems: documentLimits.resources },
  ]),
);

const Document = Type.Unsafe<ConfigDocument>({
  title: "ConfigDocument",
  type: "object",
  description: "Resources by name. A field that is not given keeps its value",
  properties: {
    $schema: { type: "string", maxLength: 2048, description: "URL of the JSON Schema, for editors" },
    version: { const: 1, description: "Version of this format" },
    owner: {
      ...Name,
      description: "Name of the document, which the gateway keeps for each resource in it: prune deletes no others",
    },
    omitted: {
      type: "array",
      items: { type: "string", maxLength: 120 },
      maxItems: sections.length,
      description: "Written by an export: sections that the role of the caller may not read. An apply ignores it",
    },
    ...sectionFields,
  },
  additionalProperties: false,
});

/** The JSON Schema of a document, for editors and other programs. */
export const documentSchema = (): DocumentedSchema => publishedSchema(Document);

const Field = Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() });

const PlannedChange = Type.Object({
  kind: Type.String({ description: "Resource kind, such as device" }),
  section: Type.String({ description: "Field of the document" }),
  name: Type.String({ description: "Name of the resource, or the values that identify it" }),
  action: OneOf(["create", "change", "delete"]),
  fields: Type.Array(Field, { description: "Fields that differ; secrets are shown as (secret)" }),
});

const planFields = {
  result: OneOf(["unchanged", "changes"], { description: "Whether the apply would change or publish anything" }),
  owner: Nullable(Type.String()),
  summary: Type.Object({
    create: Type.Integer(),
    change: Type.Integer(),
    delete: Type.Integer(),
    unchanged: Type.Integer({ description: "Resources of the document that are as it says" }),
  }),
  changes: Type.Array(PlannedChange),
  adopted: Type.Integer({
    description: "Resources that the owner gets, so that prune may delete them later; none in a provisional apply",
  }),
  released: Type.Integer({
    description: "Resources that the owner loses without their deletion, because another document has them too",
  }),
  published_along: Type.Array(
    Type.Object({ kind: Type.String(), name: Type.String(), change: OneOf(["added", "removed", "changed"]) }),
    { description: "Changes of policies and profiles that were staged before and are published with the document" },
  ),
  findings: Type.Array(Finding, {
    description: "About the policies after the apply, if the document has or deletes policies or profiles",
  }),
};

const Plan = named("ConfigPlan", Type.Object(planFields));
export type ConfigPlan = Static<typeof Plan>;

const Applied = named(
  "AppliedConfig",
  Type.Object({
    ...planFields,
    snapshot: Snapshot,
    confirm_until: Nullable({
      ...Timestamp,
      description: "When it is reverted unless confirmed; null: it is permanent, or nothing was published",
    }),
    enforced: Type.Boolean({
      description: "Whether it is in force in the kernel; false while the dataplane is off or an engine failed",
    }),
    ...notEnforcedFields,
  }),
);
export type AppliedConfig = Static<typeof Applied>;

const prune = {
  prune: Type.Optional(
    Type.Boolean({
      description: "Delete the resources that earlier documents of this owner contained and this one does not",
    }),
  ),
};

const described =
  "The document is JSON, or YAML with the content type application/yaml. Everything is written in one transaction, or nothing. " +
  "A document that has or deletes policies or profiles also publishes them, like POST /routing/policies/apply. " +
  "The role that its strictest section requires is required.";
const errors = [
  "conflict",
  "policy_conflict",
  "in_use",
  "limit_reached",
  "change_pending",
  "not_found",
  "not_supported",
  "secrets_undecipherable",
] as const;
const taking = {
  method: "POST",
  body: Document,
  bodyBytes: documentLimits.bytes,
  yaml: true,
  errors,
} as const;

export const configuration = {
  validate: endpoint({
    ...taking,
    path: "/validate",
    role: "operator",
    summary: "What an apply of a configuration document would change",
    description: `Tries the whole apply, and changes nothing. ${described}`,
    query: closed(prune),
    result: Plan,
    cli: { words: ["validate"], expects: { field: "result", value: "unchanged", status: 2 } },
  }),
  apply: endpoint({
    ...taking,
    path: "/apply",
    role: "operator",
    summary: "Apply a configuration document",
    description: described,
    query: closed({ ...prune, ...confirmWithin }),
    result: Applied,
    audit: { verb: "apply", noun: "configuration" },
    cli: { words: ["apply"] },
  }),
  export: endpoint({
    method: "GET",
    path: "/config/export",
    role: "viewer",
    summary: "The published configuration as a configuration document",
    description:
      "In place of secrets it has {secret: stored}. Sections that the role may not read are missing, and named in omitted.",
    result: Type.Record(Type.String(), Type.Unknown(), { title: "ConfigExport" }),
    errors: [],
    cli: { words: ["backup", "export"] },
  }),
  import: endpoint({
    ...taking,
    path: "/config/import",
    role: "admin",
    summary: "Apply an export",
    description: described,
    query: closed(confirmWithin),
    result: Applied,
    audit: { verb: "import", noun: "configuration" },
    cli: { words: ["backup", "import"] },
  }),
  schema: endpoint({
    method: "GET",
    path: "/config/schema",
    role: "anyone",
    summary: "The JSON Schema of a configuration document, for editors",
    result: Type.Record(Type.String(), Type.Unknown(), { title: "ConfigDocumentSchema" }),
    errors: [],
  }),
};
