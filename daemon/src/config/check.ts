import { nearest } from "@portcullis/contract/nearest";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { formats } from "./formats.ts";
import { type Bootstrap, BootstrapKeys, keys, type KeySchema } from "./keys.ts";
import { below, dotted, type Finding, shown } from "./mistake.ts";
import { interfaceInBothRoles } from "./network-checks.ts";

/** Fills the defaults into `value` and returns all findings about it. */
export function checkKeys(value: unknown): Finding[] {
  compiled ??= compile();
  const findings = compiled(value) ? [] : (compiled.errors ?? []).map(toFinding);
  const isSectionValid = (name: string) => !findings.some(({ pointer }) => `${pointer}/`.startsWith(`/${name}/`));
  const rules = findings.some(({ pointer }) => pointer === "") ? [] : sectionRules;
  return [
    ...findings,
    ...rules.filter(({ section }) => isSectionValid(section)).flatMap(({ broken }) => broken(value as Bootstrap)),
  ];
}

let compiled: ValidateFunction | undefined;

function compile(): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    formats: { ...formats },
    // A test validates the schema, so that each start need not.
    meta: false,
    validateSchema: false,
  });
  ajv.addVocabulary(["x-secret", "x-expects"]);
  return ajv.compile(BootstrapKeys);
}

/** Rules that the schema of one key cannot express. Each is evaluated if its own section is valid. */
const sectionRules: readonly { section: keyof Bootstrap; broken: (bootstrap: Bootstrap) => Finding[] }[] = [
  { section: "network", broken: ({ network }) => interfaceInBothRoles(network) },
  { section: "tls", broken: ({ tls }) => halfCertificate(tls) },
  { section: "dhcp", broken: ({ dhcp }) => (dhcp.enabled ? [unsupported("/dhcp/enabled", "must be false")] : []) },
  {
    section: "network",
    broken: ({ network: { mode } }) => (mode === "primary" ? [] : [unsupported("/network/mode", "must be primary")]),
  },
  { section: "auth", broken: ({ auth }) => repeatedKeys(auth.api_keys) },
];

/** A key of the specification that nothing reads yet. */
const unsupported = (pointer: string, message: string): Finding => ({
  pointer,
  at: "value",
  message: `${message}: other values are not supported yet, and would have no effect`,
});

function halfCertificate({ cert_file, key_file }: Bootstrap["tls"]): Finding[] {
  if ((cert_file === undefined) === (key_file === undefined)) return [];
  const [given, missing] = key_file === undefined ? ["cert_file", "key_file"] : ["key_file", "cert_file"];
  return [{ pointer: `/tls/${given}`, at: "key", message: `needs tls.${missing} as well` }];
}

function repeatedKeys(apiKeys: Bootstrap["auth"]["api_keys"]): Finding[] {
  const findings: Finding[] = [];
  for (const field of ["key", "name"] as const)
    for (const [index, it] of apiKeys.entries()) {
      const first = apiKeys.findIndex((other) => other[field] === it[field]);
      const message = `is the same ${field} as auth.api_keys[${first}] has`;
      if (first < index) findings.push({ pointer: `/auth/api_keys/${index}/${field}`, at: "value", message });
    }
  return findings;
}

function toFinding({ keyword, instancePath, params, parentSchema, data }: ErrorObject): Finding {
  const schema = (parentSchema ?? {}) as KeySchema;
  if (keyword === "additionalProperties") {
    const word = String(params["additionalProperty"]);
    // With `- the-key-itself: admin` the property name is a key, which must not be logged.
    if (schema["x-secret"]) return { pointer: instancePath, at: "value", message: `must be ${expected(schema)}` };
    return { pointer: below(instancePath, word), at: "key", message: unknownKey(instancePath, word, schema) };
  }
  if (keyword === "required") {
    const message = `has no ${String(params["missingProperty"])}; it must be ${expected(schema)}`;
    return { pointer: instancePath, at: "value", message };
  }
  if (keyword === "uniqueItems")
    return {
      pointer: below(instancePath, Math.max(Number(params["i"]), Number(params["j"]))),
      at: "value",
      message: "is listed twice",
    };
  const value = schema["x-secret"] ? "" : `, not ${shown(data)}`;
  return { pointer: instancePath, at: "value", message: `must be ${expected(schema)}${value}${hint(schema, data)}` };
}

/** Completes "must be …" with all requirements of a value, whichever of them failed. */
function expected(schema: KeySchema): string {
  if (schema["x-expects"] !== undefined) return schema["x-expects"];
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.type === "integer") return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "array")
    return `a list of at most ${schema.maxItems}, such as ${JSON.stringify(schema.examples?.[0])}`;
  if (schema.type === "object") return `a map with keys such as ${Object.keys(schema.properties ?? {}).join(", ")}`;
  return (schema.description ?? "text").toLowerCase();
}

function hint(schema: KeySchema, data: unknown): string {
  if (data === null) return "; leave the line out for the default";
  const word = schema.enum && typeof data === "string" ? nearest(data, schema.enum) : undefined;
  return word === undefined ? "" : `; did you mean ${word}?`;
}

function unknownKey(parent: string, word: string, { properties = {} }: KeySchema): string {
  const flat = keys.find((it) => parent === "" && it.dotted === word);
  if (flat) return `is written on two lines: ${flat.section}: and, indented below it, ${flat.name}:`;
  const meant = onlyKeyCalled(word) ?? similarKey(parent, word, Object.keys(properties));
  return `is not a known key${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function onlyKeyCalled(word: string): string | undefined {
  const [key, ...others] = keys.filter(({ name }) => name === word);
  return others.length === 0 ? key?.dotted : undefined;
}

function similarKey(parent: string, word: string, siblings: readonly string[]): string | undefined {
  const sibling = nearest(word, siblings);
  return sibling === undefined ? undefined : dotted(below(parent, sibling));
}
