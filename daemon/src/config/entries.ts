import { type Bootstrap, keys } from "./keys.ts";

/** One key as `GET /settings` shows it. */
export interface BootstrapEntry {
  readonly key: string;
  /** null: not set. Of API keys only name and role, never the key. */
  readonly value: unknown;
  readonly source: "bootstrap" | "default";
  readonly description: string;
  readonly secret: boolean;
}

/** The whole bootstrap configuration as a flat list, in the order of the example file. */
export function bootstrapEntries(bootstrap: Bootstrap, given: ReadonlySet<string>): BootstrapEntry[] {
  const values = presentable(bootstrap);
  return keys.map(({ section, name, dotted, schema }) => ({
    key: dotted,
    value: values[section]?.[name] ?? null,
    source: given.has(dotted) ? "bootstrap" : "default",
    description: schema.description ?? "",
    secret: schema["x-secret"] ?? false,
  }));
}

function presentable({ auth, ...rest }: Bootstrap): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return { ...rest, auth: { ...auth, api_keys: auth.api_keys.map(({ name, role }) => ({ name, role })) } };
}
