import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import type { DnsService } from "@portcullis/contract/subsystems/dns-services";
import { refuseField } from "../resources.ts";

export type ServicePatterns = ReturnType<typeof servicePatterns>;

/** The patterns of rules for services: the ids of services and of their categories. */
export function servicePatterns(services: readonly DnsService[]) {
  const restrictable = services.filter((it) => it.safe_search);
  return {
    /** The id, if an action is possible for it. */
    known(action: DnsFilterRule["action"], pattern: string, where: "body" | "path" = "body"): string {
      const id = pattern.trim().toLowerCase();
      const possible = patternsOf(action === "safe_search" ? restrictable : services);
      if (possible.includes(id)) return id;
      const subject = patternsOf(services).includes(id) ? "has no safe search" : "is no service or category";
      return refuseField(where === "body" ? "pattern" : "id", `${subject}; possible are ${possible.join(", ")}`, where);
    },
  };
}

const patternsOf = (services: readonly DnsService[]): readonly string[] => [
  ...new Set(services.map(({ category }) => category)),
  ...services.map(({ id }) => id),
];
