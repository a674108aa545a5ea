import type { Advertisement } from "./radvd.model.ts";

/**
 * The configuration of one interface. Clients forget a router that is gone after `lifetimeSec`, and its prefixes after twice that.
 * IgnoreIfMissing is off: a radvd that could not advertise would otherwise run on in silence.
 */
export function renderRadvd({ interface: name, index, lifetimeSec, prefixes, resolvers }: Advertisement): string {
  const maxIntervalSec = Math.min(maxAdvertisementIntervalSec, Math.floor(lifetimeSec / 3));
  return [
    `# index ${index}`,
    `interface ${name} {`,
    "\tAdvSendAdvert on;",
    "\tIgnoreIfMissing off;",
    "\tAdvRASolicitedUnicast on;",
    `\tMinRtrAdvInterval ${Math.floor(maxIntervalSec / 3)};`,
    `\tMaxRtrAdvInterval ${maxIntervalSec};`,
    `\tAdvDefaultLifetime ${lifetimeSec};`,
    ...prefixes.flatMap((prefix) => [
      `\tprefix ${prefix} {`,
      "\t\tAdvOnLink on;",
      "\t\tAdvAutonomous on;",
      `\t\tAdvPreferredLifetime ${lifetimeSec};`,
      `\t\tAdvValidLifetime ${2 * lifetimeSec};`,
      "\t\tDeprecatePrefix on;",
      "\t};",
    ]),
    ...(resolvers.length === 0
      ? []
      : [`\tRDNSS ${resolvers.join(" ")} {`, `\t\tAdvRDNSSLifetime ${lifetimeSec};`, "\t\tFlushRDNSS on;", "\t};"]),
    "};\n",
  ].join("\n");
}

/** Each advertisement wakes battery-powered devices: RFC 7772 recommends at most seven per hour. */
const maxAdvertisementIntervalSec = 600;
