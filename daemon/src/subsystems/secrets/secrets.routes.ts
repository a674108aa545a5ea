import type { HandlersOf } from "@portcullis/contract/handler";
import type { secrets } from "@portcullis/contract/subsystems/secrets";
import type { Secrets } from "./secrets.service.ts";
import type { Vault } from "./vault.ts";

export const secretRoutes = (service: Secrets, vault: Vault): HandlersOf<typeof secrets> => ({
  list: ({ query }) => service.list(query),
  get: ({ params }) => service.get(params.id),
  create: ({ body }, { cause }) => service.create(cause, body),
  update: ({ params, body }, { cause }) => service.update(cause, params.id, body),
  remove: ({ params: { id } }, { cause }) => {
    service.remove(cause, id);
    return { id, deleted: true };
  },
  encryptionStatus: () => vault.status(),
  setPassphrase: async ({ body }, { cause }) => {
    await vault.setPassphrase(cause, body.passphrase);
    return vault.status();
  },
  clearPassphrase: async (_, { cause }) => {
    await vault.clearPassphrase(cause);
    return vault.status();
  },
});
