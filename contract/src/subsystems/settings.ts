import Type, { type Static } from "typebox";
import { closed, limitOnly } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { named, Nullable, OneOf } from "../values.ts";
import { pqModes } from "./pq-crypto.ts";

/** The string settings of the daemon. Other keys are refused. */
export const stringSettings = {
  ai_default_model: { description: "Model the assistant's validator uses", acceptedValues: [] },
  ai_ollama_url: { description: "Where the local model runtime listens", acceptedValues: [] },
  node_id: { description: "Stable id of this gateway, used in federation and audit", readOnly: true },
  pq_crypto_mode: {
    description: "Post-quantum groups in outbound TLS, as PUT /pq-crypto sets it: default, preferred or required",
    allowedValues: pqModes,
  },
  telegram_bot_token: { description: "Token of the bot that sends alerts", secret: true, channel: true },
  telegram_chat_id: { description: "Chat that receives alerts", secret: true, channel: true },
  webhook_url: { description: "Where alerts are posted", secret: true, channel: true },
} as const satisfies Record<string, StringSetting>;

/**
 * `allowedValues`: the only valid values. `secret`: write-only. `acceptedValues`: nothing reads the setting yet, and only these
 * values, which have no effect, are accepted. `channel`: a field of the alert channel with the name webhook or telegram.
 */
export interface StringSetting {
  readonly description: string;
  readonly readOnly?: boolean;
  readonly secret?: boolean;
  readonly allowedValues?: readonly string[];
  readonly acceptedValues?: readonly string[];
  readonly channel?: boolean;
}
export type StringSettingKey = keyof typeof stringSettings;

/** Settings with an effect of their own. */
export const writableSettings: readonly string[] = Object.entries<StringSetting>(stringSettings)
  .filter(([, it]) => !it.readOnly && !it.channel && it.acceptedValues === undefined)
  .map(([key]) => key);

const Value = Type.String({ maxLength: 4096, pattern: "^[^\\p{Cc}\\p{Cs}]*$" });
const Key = Type.String({ maxLength: 120, pattern: "^[a-z0-9_.]+$", description: "Such as webhook_url or log.level" });

export const Setting = named(
  "Setting",
  Type.Object({
    key: Type.String(),
    value: Type.Unknown({ description: "null: not set, or a secret" }),
    is_set: Type.Boolean(),
    source: OneOf(["bootstrap", "store", "default"], { description: "Where the value comes from" }),
    writable: Type.Boolean({
      description:
        "false: a bootstrap key, which is changed in the file, with a restart; or a setting that nothing reads yet",
    }),
    secret: Type.Boolean(),
    description: Type.String(),
  }),
);
export type Setting = Static<typeof Setting>;

const params = Type.Object({ key: Key });

export const settings = {
  list: endpoint({
    method: "GET",
    path: "/settings",
    role: "viewer",
    summary: "The bootstrap configuration and the stored settings in one list",
    query: limitOnly,
    result: Type.Array(Setting),
    errors: [],
    cli: { words: ["settings", "list"], columns: ["key", "value", "source", "writable"] },
  }),
  update: endpoint({
    method: "PUT",
    path: "/settings",
    role: "admin",
    summary: "Change several stored settings at once",
    description: "Keys that are not given keep their value; null removes one.",
    body: named(
      "SettingsUpdate",
      closed(Object.fromEntries(Object.keys(stringSettings).map((key) => [key, Type.Optional(Nullable(Value))]))),
    ),
    result: Type.Array(Setting),
    errors: ["conflict", "change_pending", "not_supported", "limit_reached", "secrets_undecipherable"],
    audit: { verb: "update", noun: "settings" },
  }),
  get: endpoint({
    method: "GET",
    path: "/settings/{key}",
    role: "viewer",
    summary: "Show one setting",
    params,
    result: Setting,
    errors: ["not_found"],
    cli: { words: ["settings", "get"], args: ["key"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/settings/{key}",
    role: "admin",
    summary: "Set one stored setting",
    params,
    body: named("SettingValue", closed({ value: Value })),
    result: Setting,
    errors: ["not_found", "conflict", "change_pending", "not_supported", "limit_reached", "secrets_undecipherable"],
    audit: { verb: "update", noun: "setting" },
    cli: { words: ["settings", "update"], args: ["key"] },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/settings/{key}",
    role: "admin",
    summary: "Remove one stored setting, so that its default applies again",
    params,
    result: Setting,
    errors: ["not_found", "conflict", "change_pending"],
    audit: { verb: "delete", noun: "setting" },
    cli: { words: ["settings", "delete"], args: ["key"] },
  }),
};
