import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { type Pause, pauseObstacle, type pauses } from "@portcullis/contract/subsystems/pauses";
import type { Ledger } from "../../ledger/ledger.ts";
import { refuseField, resolve } from "../resources.ts";

type CreateBody = InputOf<typeof pauses.create>["body"];
type Subject = Pick<Pause, "type" | "source_type" | "source_value" | "domain">;
/** The canonical form of the domain in a field; refuses what is none. */
export type DomainIn = (field: string, text: string) => string;
type Named = { readonly id: string; readonly name: string };

/** The requested pause: names are replaced by ids. Refuses what would have no effect. */
export function requestedPause(
  ledger: Ledger,
  body: CreateBody,
  { isFiltering, domainIn }: { readonly isFiltering: boolean; readonly domainIn: DomainIn },
): Subject {
  const { type, source_type } = body;
  if (type !== "protection" && !isFiltering)
    throw new Problem("conflict", {}, { message: "DNS filtering is off, so that there is nothing to pause" });
  const subject = { type, source_type, source_value: sourceValueOf(ledger, body), domain: domainOf(body, domainIn) };
  if (type === "protection" && source_type === "device") {
    const [refused] = unpausedDevices(ledger, subject);
    if (refused) refuseField("source_value", `is the device ${refused.name}, which ${reasons[refused.obstacle]}`);
  }
  return subject;
}

const reasons = {
  require_tunnel: "has a privacy class with require_tunnel: its protection is not paused",
  quarantined: "is quarantined",
  no_address: "has neither MAC address nor IP address",
} as const;

function sourceValueOf(ledger: Ledger, { source_type, source_value = "" }: CreateBody): string {
  if (source_type === "everyone")
    return source_value === "" ? "" : refuseField("source_value", "must be empty: it is for everyone");
  if (source_value === "") refuseField("source_value", `is missing: which ${source_type.replace("_", " ")}?`);
  return resolve(ledger.staged(source_type), "source_value", source_value);
}

function domainOf({ type, domain }: CreateBody, domainIn: DomainIn): string | null {
  const hasDomain = type === "allow-domain" || type === "block-domain";
  if (!hasDomain) return domain === undefined ? null : refuseField("domain", `is not allowed for the type ${type}`);
  return domain === undefined ? refuseField("domain", `is missing: which domain?`) : domainIn("domain", domain);
}

/** The device or the group was deleted. */
export const isGone = (ledger: Ledger, { source_type, source_value }: Subject): boolean =>
  source_type !== "everyone" && ledger.staged(source_type).get(source_value) === undefined;

export const sourceNameOf = (ledger: Ledger, { source_type, source_value }: Subject): string =>
  source_type === "everyone" ? "" : (ledger.staged<Named>(source_type).get(source_value)?.name ?? "");

/** Devices of the source whose protection is not paused, each with the reason. */
export function unpausedDevices(ledger: Ledger, { type, source_type, source_value }: Subject): Pause["unpaused"] {
  if (type !== "protection") return [];
  const classes = new Map(
    ledger
      .staged<PrivacyClass>("privacy_class")
      .all()
      .map((it) => [it.id, it]),
  );
  const byTrust = new Map(
    ledger
      .staged<TrustClass>("trust_class")
      .all()
      .map((it) => [it.id, it.default_privacy_class]),
  );
  const classOf = (it: Device): string =>
    it.privacy_class ?? (it.trust_class === null ? null : byTrust.get(it.trust_class)) ?? "";
  return ledger
    .staged<Device>("device")
    .all()
    .filter(
      (it) =>
        source_type === "everyone" ||
        (source_type === "device" ? it.id === source_value : it.group_ids.includes(source_value)),
    )
    .flatMap((it) => {
      const obstacle = pauseObstacle(it, classes.get(classOf(it)));
      return obstacle === null ? [] : [{ device_id: it.id, name: it.name, obstacle }];
    });
}
