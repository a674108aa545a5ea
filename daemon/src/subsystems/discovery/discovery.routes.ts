import type { HandlersOf } from "@portcullis/contract/handler";
import type { discovery } from "@portcullis/contract/subsystems/discovery";
import type { DiscoveryService } from "./discovery.service.ts";

export const discoveryRoutes = (service: DiscoveryService): HandlersOf<typeof discovery> => ({
  list: ({ query }) => service.list(query),
  sources: () => service.sources(),
  allow: ({ params, body }, { cause }) => service.allow(cause, params.mac, body),
  guest: ({ params, body }, { cause }) => service.guest(cause, params.mac, body),
  block: ({ params, body }, { cause }) => service.block(cause, params.mac, body),
  link: ({ params, body }, { cause }) => service.link(cause, params.mac, body.device_id),
});
