import { formatNetwork } from "../../net/addresses.ts";
import type { DnsSource, DnsSourceType } from "@portcullis/contract/subsystems/dns-source";
import type { Ledger } from "../../ledger/ledger.ts";
import { refuseField, resolve } from "../resources.ts";

export const everyone: DnsSource = { source_type: "everyone", source_value: "" };

interface RequestedSource {
  readonly source_type?: DnsSourceType | undefined;
  readonly source_value?: string | undefined;
}

/** The source after a request: names are replaced by ids, networks have the canonical form. */
export function sourceOf(ledger: Ledger, before: DnsSource, { source_type, source_value }: RequestedSource): DnsSource {
  const type = source_type ?? before.source_type;
  const value = source_value ?? (type === before.source_type ? before.source_value : "");
  return { source_type: type, source_value: normalize(ledger, type, value) };
}

function normalize(ledger: Ledger, type: DnsSourceType, value: string): string {
  if (type === "everyone") return value === "" ? "" : refuseField("source_value", "must be empty: it is for everyone");
  if (value === "") refuseField("source_value", `is missing: which ${type.replace("_", " ")}?`);
  if (type !== "subnet") return resolve(ledger.staged(type), "source_value", value);
  return formatNetwork(value) ?? refuseField("source_value", "must be a network such as 10.0.0.0/24, or an address");
}

export const sameSource = (a: DnsSource, b: DnsSource): boolean =>
  a.source_type === b.source_type && a.source_value === b.source_value;
