import { isIP } from "node:net";
import { api } from "@portcullis/contract/api";
import { openapi } from "@portcullis/contract/openapi";
import { version } from "@portcullis/contract/version";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

export const document = openapi(api, version) as unknown as OpenApi;

/** A response. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
}

const validators = new Map<string, ValidateFunction>();
const ajv = new Ajv2020({ strict: false, allErrors: true });
(ajvFormats as unknown as (it: Ajv2020) => void)(ajv);
ajv.addFormat("ip", (text) => isIP(text) !== 0);
ajv.addSchema({ $id: "gateway", components: document.components });

/** Throws unless the OpenAPI document allows the response. Outside the API it defines the error envelope only. */
export function expectConforming({ method, path, status, contentType, body }: Seen): void {
  const operation = operationFor(method === "HEAD" ? "GET" : method, path);
  if (status === 204 || method === "HEAD") return;
  const response = operation?.responses[String(status)] ?? operation?.responses["default"];
  const schema = operation ? response?.content?.[mediaOf(contentType)]?.schema : errorSchema;
  if (!schema)
    throw new Error(`${method} ${path} answered ${status} ${contentType}: the document has no such response`);
  if (mediaOf(contentType) !== "application/json") return;
  const validate = validatorFor(schema);
  if (!validate(JSON.parse(body)))
    throw new Error(
      `${method} ${path} answered ${status}: ${ajv.errorsText(validate.errors)} in ${body.slice(0, 500)}`,
    );
}

export function operationFor(method: string, path: string): Operation | undefined {
  const found = Object.entries(document.paths)
    .filter(([template]) => patternOf(template).test(path))
    // A literal path wins over one with a parameter, as in the router.
    .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
    .find(([, operations]) => operations[method.toLowerCase()] !== undefined);
  return found?.[1][method.toLowerCase()];
}

const errorSchema = { $ref: "#/components/schemas/Error" };

const mediaOf = (contentType: string | null): string => (contentType ?? "").split(";", 1)[0]!.trim();

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);

function validatorFor(schema: object): ValidateFunction {
  const absolute = JSON.stringify(schema).replaceAll('"#/components/', '"gateway#/components/');
  const known = validators.get(absolute);
  if (known) return known;
  const made = ajv.compile(JSON.parse(absolute) as object);
  validators.set(absolute, made);
  return made;
}
