import type { HandlersOf } from "@portcullis/contract/handler";
import type { TunnelEgress, tunnels } from "@portcullis/contract/subsystems/tunnels";
import { generateKeys, generateSecret } from "./keys.ts";
import type { Tunnels } from "./tunnels.service.ts";

interface Needs {
  readonly service: Tunnels;
  /** Resolves when the engines are done. */
  readonly whenIdle: () => Promise<unknown>;
  readonly egress: () => readonly TunnelEgress[] | Promise<readonly TunnelEgress[]>;
}

export function tunnelRoutes({ service, whenIdle, egress }: Needs): HandlersOf<typeof tunnels> {
  type Call = Parameters<HandlersOf<typeof tunnels>["up"]>[1];
  async function switched({ cause }: Call, id: string, enabled: boolean | undefined) {
    service.switch(cause, id, enabled);
    await whenIdle();
    return service.get(id);
  }
  return {
    list: ({ query }) => service.list(query),
    get: ({ params }) => service.get(params.id),
    create: ({ body }, { cause }) => service.create(cause, body),
    update: ({ params, body }, { cause }) => service.update(cause, params.id, body),
    remove: ({ params: { id } }, { cause }) => {
      service.remove(cause, id);
      return { id, deleted: true };
    },
    up: ({ params }, call) => switched(call, params.id, true),
    down: ({ params }, call) => switched(call, params.id, false),
    toggle: ({ params, body }, call) => switched(call, params.id, body?.enabled),
    config: ({ params }) => service.file(params.id),
    generateKeys: ({ body }) => ({
      ...generateKeys(),
      ...(body?.preshared_key && { preshared_key: generateSecret() }),
    }),
    importWireguard: ({ body }, { cause }) => service.importWireguard(cause, body),
    uploadOvpn: ({ body }, { cause }) => service.uploadOvpn(cause, body),
    egress: async () => [...(await egress())],
  };
}
