/** IFNAMSIZ of the kernel is 16 with the terminating zero. */
const longest = 15;

/** Names with a special meaning in the kernel or its settings. */
export const kernelNames: readonly string[] = ["lo", "all", "default"];

const prefixes = { wireguard: "wg-", openvpn: "ov-" } as const;

/** An unused interface name for a tunnel: `wg-amsterdam`, `wg-amsterda-2`. */
export function interfaceFor(type: keyof typeof prefixes, name: string, isTaken: (name: string) => boolean): string {
  const stem = `${prefixes[type]}${slugOf(name)}`;
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `-${number}`;
    const candidate = `${stem.slice(0, longest - suffix.length).replace(/[-.]+$/, "")}${suffix}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Accents are removed; a name without Latin letters and digits becomes "tunnel". */
function slugOf(name: string): string {
  const plain = name.normalize("NFKD").toLowerCase().replaceAll(/\p{M}/gu, "");
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "tunnel";
}
