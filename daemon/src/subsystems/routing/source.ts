import { formatNetwork } from "../../net/addresses.ts";
import { Problem } from "@portcullis/contract/problem";
import type { Hop, SourceType } from "@portcullis/contract/subsystems/routing";
import { isInterfaceName } from "@portcullis/contract/values";
import { refuseField } from "../resources.ts";

/** Id or name → id, for the kinds that a source can refer to. */
export interface Named {
  readonly device: (word: string) => string;
  readonly group: (word: string) => string;
}

/** The canonical form of a source value; throws if it is invalid. */
export function normalizeSource(type: SourceType, value: string, named: Named): string {
  switch (type) {
    case "all":
      return value === "" ? "" : refuse("must be empty: the policy is for everything");
    case "interface":
      return isInterfaceName(value) ? value : refuse("must be an interface name");
    case "vlan":
      return /^[1-9]\d{0,3}$/.test(value) && Number(value) <= 4094
        ? value
        : refuse("must be a VLAN number from 1 to 4094");
    case "subnet":
    case "destination":
      return formatNetwork(value) ?? refuse("must be a network such as 10.0.0.0/24, or an address");
    case "device":
      return named.device(value);
    case "device_group":
      return named.group(value);
    case "domain":
      return domain.test(value)
        ? value.toLowerCase().replace(/^\*\./, "").replace(/\.$/, "")
        : refuse("must be a domain such as example.org");
  }
}

/** A domain name; a leading `*.` is redundant, because a domain includes its subdomains. */
const domain = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

function refuse(problem: string): never {
  throw new Problem(
    "invalid_request",
    { fields: [{ field: "body.source_value", problem }] },
    { message: `body.source_value: ${problem}` },
  );
}

/** The target of an interface hop is used in rules as an interface name. Other targets are ids and names of resources. */
export function refuseInvalidHops(hops: readonly Hop[] | undefined): void {
  if (hops?.some(({ type, target }) => type === "interface" && !isInterfaceName(target)))
    refuseField("hops", "has an invalid interface name");
}
