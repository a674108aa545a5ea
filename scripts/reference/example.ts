import { basePath } from "@portcullis/contract/api";
import type { Endpoint } from "@portcullis/contract/endpoint";
import type { JsonSchema } from "../../cli/src/fields.ts";

/** How an endpoint is called with curl, with made-up values that the contract accepts. */
export function curl({ method, path, params, body, requestType, role, responseType }: Endpoint): string {
  const { properties = {} } = (params ?? {}) as JsonSchema;
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(String(sampleOf(properties[field]!))),
  );
  return [
    `curl${method === "GET" ? "" : ` --request ${method}`} "$GATEWAY${basePath}${filled}"`,
    ...(responseType === "text/event-stream" ? ["--no-buffer"] : []),
    ...(role === "anyone" ? [] : ['--header "Authorization: Bearer $KEY"']),
    ...(requestType ? [`--header "Content-Type: ${requestType}"`, "--data-binary @FILE"] : []),
    ...(body && !requestType
      ? ['--header "Content-Type: application/json"', `--data '${JSON.stringify(sampleOf(body))}'`]
      : []),
  ].join(" \\\n  ");
}

/** A small value that fits a schema: what is required, and no more. */
export function sampleOf(schema: JsonSchema): unknown {
  const { const: only, default: defaultValue, enum: words, anyOf, items, properties, type } = schema;
  if (only !== undefined) return only;
  if (defaultValue !== undefined) return defaultValue;
  if (words) return words[0];
  if (anyOf) return sampleOf(anyOf[0]!);
  if (items) return [sampleOf(items)];
  if (properties) return sampleObject(properties, schema.required ?? []);
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return {};
  }
}

/** Where nothing is required, one field shows how it is done. */
function sampleObject(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): object {
  const shown = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(shown.map((name) => [name, sampleOf(properties[name]!)]));
}

const formats: Readonly<Record<string, string>> = {
  uuid: "0b7c1c52-6f0e-4d7e-9a57-3a4d6a1f2c10",
  "date-time": "2030-01-01T00:00:00Z",
  ip: "192.0.2.7",
  ipv4: "192.0.2.7",
};

const texts = [
  "example",
  "12",
  "correct horse battery staple",
  "02:00:00:00:00:01",
  "21:00",
  "537EbHp8dMVTbE+z0jhdpXx+PWH3a82FPv/xpwmSYXQ=",
];

function sampleText({ format, pattern = "", minLength = 0, maxLength = Infinity }: JsonSchema): string {
  const wanted = new RegExp(pattern, "u");
  const candidates = format === undefined ? texts : [formats[format] ?? ""];
  const found = candidates.find(
    (it) => it.length >= minLength && it.length <= maxLength && wanted.test(it) && it !== "",
  );
  if (found === undefined)
    throw new Error(`No sample text fits ${format ?? pattern}: add one to scripts/reference/example.ts`);
  return found;
}
