import { because, type Reason, reported } from "@portcullis/contract/reason";

/** Why a call of an engine failed: a program that is not installed, or the message of one that is. `clean` removes secrets. */
export function reasonOf(error: unknown, clean: (message: string) => string = String): Reason {
  const { message, cause } = error as Error;
  const { code, path } = (cause ?? {}) as { code?: unknown; path?: unknown };
  return code === "ENOENT" && typeof path === "string"
    ? because("program_missing", { program: path })
    : reported(clean(message));
}
