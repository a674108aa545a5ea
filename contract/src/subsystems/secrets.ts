import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, Name, named, OneOf, secret, Text, Timestamp } from "../values.ts";

const Value = Type.String({
  minLength: 1,
  maxLength: 65_536,
  pattern: "^\\P{Cs}*$",
  description: "Goes in, never comes out",
  ...secret(),
});
const Passphrase = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: "Eight characters or more",
  ...secret(),
});

export const Secret = named(
  "Secret",
  Type.Object({
    id: Id,
    name: Name,
    description: Type.String(),
    purpose: OneOf(["stored", "setting", "tunnel", "proxy", "dns_extfilter"], {
      description: "Who uses it; only stored ones are changed here",
    }),
    version: Type.Integer({ description: "Grows with every new value" }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Secret = Static<typeof Secret>;

export const EncryptionStatus = named(
  "SecretsEncryptionStatus",
  Type.Object({ encrypted: Type.Boolean(), total_secrets: Type.Integer(), encrypted_count: Type.Integer() }),
);
export type EncryptionStatus = Static<typeof EncryptionStatus>;

export const secrets = {
  ...collection({
    path: "/secrets",
    noun: "secret",
    resource: Secret,
    required: { name: Name, value: Value },
    optional: { description: Text("What it opens") },
    cli: "secrets",
    columns: ["id", "name", "purpose", "version", "updated_at"],
    read: "admin",
    change: "admin",
  }),
  encryptionStatus: endpoint({
    method: "GET",
    path: "/secrets/encryption-status",
    role: "admin",
    summary: "Whether stored secrets are encrypted, and how many are",
    result: EncryptionStatus,
    errors: [],
  }),
  setPassphrase: endpoint({
    method: "POST",
    path: "/secrets/set-passphrase",
    role: "admin",
    summary: "Encrypt every secret anew under this passphrase",
    description: "Every secret is decrypted first; if one cannot be, nothing changes.",
    body: named("SetPassphrase", closed({ passphrase: Passphrase })),
    result: EncryptionStatus,
    errors: ["secrets_undecipherable"],
    audit: { verb: "set", noun: "passphrase" },
  }),
  clearPassphrase: endpoint({
    method: "POST",
    path: "/secrets/clear-passphrase",
    role: "admin",
    summary: "Decrypt every secret and keep it in plain text",
    result: EncryptionStatus,
    errors: ["secrets_undecipherable"],
    audit: { verb: "clear", noun: "passphrase" },
  }),
};
