import { interfaces } from "../table.model.ts";

export const natTable = "inet portcullis_nat";

/** How many rules that are. */
export const natRules = 1;

/** Packets through our egresses leave with the gateway's address: a device's own address is never visible outside. */
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
