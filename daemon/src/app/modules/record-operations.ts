import { crudOperations, type Operations } from "../../subsystems/configuration/operations.ts";
import type { Secrets } from "../../subsystems/secrets/secrets.service.ts";
import type { Settings } from "../../subsystems/settings/settings.service.ts";

/** The operations of the sections of secrets and settings in a configuration document. */
export const recordOperations = (secrets: Secrets, settings: Settings) =>
  ({
    secret: crudOperations(secrets),
    setting: { update: (cause, key, body) => settings.put(cause, key, (body as { readonly value: string }).value) },
  }) satisfies Operations;
