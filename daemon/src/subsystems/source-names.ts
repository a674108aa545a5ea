import type { Ledger } from "../ledger/ledger.ts";
import type { Resource } from "../ledger/collection.ts";

interface Sourced {
  readonly source_type: string;
  readonly source_value: string;
}

/** Adds the name of the device, group or class that a policy or a DNS entry applies to. */
export const withSourceName =
  (ledger: Ledger) =>
  <R extends Sourced>(resource: R): R & { readonly source_name: string } => ({
    ...resource,
    source_name: nameOf(ledger, resource),
  });

function nameOf(ledger: Ledger, { source_type, source_value }: Sourced): string {
  if (!["device", "device_group", "privacy_class"].includes(source_type)) return source_value;
  return ledger.staged<Resource & { readonly name: string }>(source_type).get(source_value)?.name ?? source_value;
}
