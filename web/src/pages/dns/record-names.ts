import type { DnsRecord } from "@portcullis/contract/subsystems/dns-zones";

/** Example values of each record type, in zone file syntax. */
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

/** Their names, which are the same in every language. */
export const recordTypes = Object.fromEntries(Object.keys(recordExamples).map((it) => [it, it])) as Readonly<
  Record<DnsRecord["type"], string>
>;

/** The full name of a record; "@" is the zone itself, and a name that includes the zone is accepted. */
export function fullName(name: string, zone: string): string {
  const written = name.trim().replace(/\.$/, "");
  if (written === "@" || written === "") return zone;
  return written === zone || written.endsWith(`.${zone}`) ? written : `${written}.${zone}`;
}
