/** Kernel setting → value. */
export type Settings = Readonly<Record<string, string>>;

export const acceptLocalKey = "net.ipv4.conf.all.accept_local";

/** sysctl writes dots of an interface's name as slashes. */
export const reversePathKey = (interfaceName: string): string =>
  `net.ipv4.conf.${interfaceName.replaceAll(".", "/")}.rp_filter`;

/** Where the kernel keeps a setting. An interface called lan0.10 is lan0/10 in a key. */
export const pathOf = (key: string): string =>
  `/proc/sys/${key.replace(/[./]/g, (sign) => (sign === "." ? "/" : "."))}`;
