import type { HandlersOf } from "@portcullis/contract/handler";
import type { dns } from "@portcullis/contract/subsystems/dns";
import type { dnsCatalog, dnsPresets, dnsThreatFeeds } from "@portcullis/contract/subsystems/dns-lists";
import type { dnsExtfilter, dnsOptions } from "@portcullis/contract/subsystems/dns-settings";
import type { dnsServices } from "@portcullis/contract/subsystems/dns-services";
import type { dnsRotation } from "@portcullis/contract/subsystems/dns-upstreams";
import type { Dns } from "./dns.service.ts";
import type { Extfilter } from "./extfilter.service.ts";
import type { DomainList } from "./filters.service.ts";
import type { Lists } from "./lists.service.ts";
import type { Options } from "./options.service.ts";
import type { ServiceRules } from "./service-rules.service.ts";
import type { Rotation } from "./upstreams.service.ts";

export const dnsRoutes = (service: Dns, blocklist: DomainList): HandlersOf<typeof dns> => ({
  status: () => service.status(),
  cache: ({ query }) => service.cache(query),
  flush: ({ body }, { cause }) => service.flush(cause, body),
  test: ({ body }) => service.test(body),
  block: ({ body }, { cause }) => blocklist.add(cause, body.domains),
  unblock: ({ body }, { cause }) => blocklist.drop(cause, body.domains),
});

export const serviceRoutes = (service: ServiceRules): HandlersOf<typeof dnsServices> => ({
  list: () => service.list(),
  set: ({ params, body }, { cause }) => service.set(cause, params.id, body),
});

export const presetRoutes = (service: Lists): HandlersOf<typeof dnsPresets> => ({
  list: ({ query }) => service.list(query),
  get: ({ params }) => service.get(params.id),
  create: ({ body }, { cause, caller }) => service.create(cause, body, caller?.role === "admin"),
  update: ({ params, body }, { cause, caller }) => service.update(cause, params.id, body, caller?.role === "admin"),
  remove: ({ params: { id } }, { cause }) => {
    service.remove(cause, id);
    return { id, deleted: true };
  },
  upload: ({ params, body }, { cause }) => service.upload(cause, params.id, body),
  refresh: ({ params }, { cause }) => service.refresh(cause, params.id),
});

export const catalogRoutes = (service: Lists): HandlersOf<typeof dnsCatalog> => ({
  list: () => service.catalog(),
  choose: ({ body }, { cause }) => service.choose(cause, body.name),
});

export const threatFeedRoutes = (service: Lists): HandlersOf<typeof dnsThreatFeeds> => ({
  list: () => service.threatFeeds(),
});

export const rotationRoutes = (service: Rotation): HandlersOf<typeof dnsRotation> => ({
  get: () => service.get(),
  put: ({ body }, { cause }) => service.put(cause, body),
});

export const optionRoutes = (service: Options): HandlersOf<typeof dnsOptions> => ({
  get: () => service.get(),
  put: ({ body }, { cause }) => service.put(cause, body),
});

export const extfilterRoutes = (service: Extfilter): HandlersOf<typeof dnsExtfilter> => ({
  status: () => service.status(),
  put: ({ body }, { cause }) => service.put(cause, body),
  enable: (_, { cause }) => service.enable(cause),
  disable: (_, { cause }) => service.disable(cause),
});
