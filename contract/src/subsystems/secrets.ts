import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, Name, named, OneOf, secret, Text, Timestamp } from "../values.ts";

const Value = Type.String({
  minLength: 1,
  maxLength: 65_536,
  pattern: "^\\P{Cs}*$",
  description: "Write-only",
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
    purpose: OneOf(["stored", "setting", "tunnel", "proxy", "dns_extfilter", "alert_channel", "mqtt"], {
      description: "Its user; only secrets with the purpose stored can be changed here",
    }),
    version: Type.Integer({ description: "Increases with every new value" }),
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
    optional: { description: Text("Purpose of the secret") },
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
    summary: "Re-encrypt every secret with this passphrase",
    description: "Every secret is decrypted first; if that fails for one, nothing changes.",
    body: named("SetPassphrase", closed({ passphrase: Passphrase })),
    result: EncryptionStatus,
    errors: ["secrets_undecipherable"],
    audit: { verb: "set", noun: "passphrase" },
  }),
  clearPassphrase: endpoint({
    method: "POST",
    path: "/secrets/clear-passphrase",
    role: "admin",
    summary: "Decrypt every secret and store it in plain text",
    result: EncryptionStatus,
    errors: ["secrets_undecipherable"],
    audit: { verb: "clear", noun: "passphrase" },
  }),
};
