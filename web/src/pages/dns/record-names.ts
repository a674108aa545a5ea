import type { DnsRecord } from "@portcullis/contract/subsystems/dns-zones";

/** What a record of each type says, as a zone file has it. */
export const recordExamples: Readonly<Record<DnsRecord["type"], string>> = {
  A: "192.0.2.7",
  AAAA: "2001:db8::7",
  CNAME: "nas.home.arpa.",
  MX: "10 mail.example.org.",
  TXT: '"v=spf1 -all"',
  SRV: "0 5 5060 sip.example.org.",
  NS: "ns1.example.org.",
  PTR: "nas.home.arpa.",
  CAA: '0 issue "ca.example.org"',
};

/** A record's name with its zone; "@" is the zone itself, and who writes the zone too means the same. */
export function fullName(name: string, zone: string): string {
  const written = name.trim().replace(/\.$/, "");
  if (written === "@" || written === "") return zone;
  return written === zone || written.endsWith(`.${zone}`) ? written : `${written}.${zone}`;
}
