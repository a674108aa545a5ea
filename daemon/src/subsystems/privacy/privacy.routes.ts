import type { InputOf } from "@portcullis/contract/endpoint";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { Control } from "@portcullis/contract/privacy-controls";
import type { PrivacyStatus, privacy } from "@portcullis/contract/subsystems/privacy";
import type { Privacy } from "./privacy.service.ts";

interface Needs {
  readonly service: Privacy;
  readonly status: (query: InputOf<typeof privacy.status>["query"]) => Promise<PrivacyStatus>;
  /** Resolves when the engines are done, with whether all of it is in force. */
  readonly enforced: () => Promise<boolean>;
}

type Routes = Omit<HandlersOf<typeof privacy>, "leakMonitor" | "putLeakMonitor" | "leakCheck">;

export function privacyRoutes({ service, status, enforced }: Needs): Routes {
  const switching =
    (control: Control): Routes["forceDns"] =>
    async ({ body }, { cause }) => {
      const state = service.switch(cause, control, body ?? {});
      return { ...state, enforced: await enforced() };
    };
  return {
    status: ({ query }) => status(query),
    getDnsMode: () => ({ mode: service.systemDefaults().dns_mode }),
    putDnsMode: async ({ body: { mode } }, { cause }) => {
      service.setDnsMode(cause, mode);
      return { mode, enforced: await enforced() };
    },
    forceDns: switching("force_dns"),
    blockDoh: switching("block_doh"),
    blockIpv6: switching("block_ipv6"),
    blockWebrtc: switching("block_webrtc"),
  };
}
