import type { ConfigDocument } from "@portcullis/contract/subsystems/configuration";

/** A document as the body of a request. Text in JSON is sent as JSON: the limit for YAML is less than an export can have. */
export function documentInput(text: string): { readonly body: ConfigDocument } | { readonly yaml: string } {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return { body: parsed as ConfigDocument };
  } catch {
    // YAML, or a mistake that the gateway explains.
  }
  return { yaml: text };
}
