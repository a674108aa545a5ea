/** Names of DNS record types and response codes, from IANA's registry. */
const types: ReadonlyMap<number, string> = new Map([
  [1, "A"],
  [2, "NS"],
  [5, "CNAME"],
  [6, "SOA"],
  [12, "PTR"],
  [15, "MX"],
  [16, "TXT"],
  [28, "AAAA"],
  [29, "LOC"],
  [33, "SRV"],
  [35, "NAPTR"],
  [39, "DNAME"],
  [41, "OPT"],
  [43, "DS"],
  [44, "SSHFP"],
  [46, "RRSIG"],
  [47, "NSEC"],
  [48, "DNSKEY"],
  [50, "NSEC3"],
  [51, "NSEC3PARAM"],
  [52, "TLSA"],
  [59, "CDS"],
  [60, "CDNSKEY"],
  [61, "OPENPGPKEY"],
  [64, "SVCB"],
  [65, "HTTPS"],
  [99, "SPF"],
  [251, "IXFR"],
  [252, "AXFR"],
  [255, "ANY"],
  [256, "URI"],
  [257, "CAA"],
]);

const typeNumbers: ReadonlyMap<string, number> = new Map([...types].map(([number, word]) => [word, number]));

export const typeName = (number: number): string => types.get(number) ?? `TYPE${number}`;

/** Accepts `aaaa`, `TYPE65` and `65`. */
export function typeNumber(word: string): number | undefined {
  const number = typeNumbers.get(word.toUpperCase()) ?? Number(/^(?:TYPE)?(\d{1,5})$/i.exec(word)?.[1]);
  return number <= 65_535 ? number : undefined;
}

const rcodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

export const rcodeName = (number: number): string => rcodes[number] ?? `RCODE${number}`;
