import { interfaces } from "../table.model.ts";

export const natTable = "inet portcullis_nat";

/** How many rules that are. */
export const natRules = 1;

/** Whatever leaves by a way of ours leaves with the gateway's address there: a device's own never shows outside. */
export const renderNat = (lan: readonly string[]): string => `table ${natTable} {
	chain postrouting { type nat hook postrouting priority srcnat; policy accept; }
}
flush chain ${natTable} postrouting
table ${natTable} {
	chain postrouting {
		meta mark and 0x80000000 != 0 oifname != ${interfaces(lan)} masquerade
	}
}
`;
