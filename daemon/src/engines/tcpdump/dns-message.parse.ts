/** The first name of a DNS message, as `query A example.com`; undefined: it is no DNS message. */
export function dnsInfo(bytes: Buffer, start: number): string | undefined {
  if (bytes.length < start + 12 || bytes.readUInt16BE(start + 4) !== 1) return undefined;
  const found = nameAt(bytes, start + 12);
  if (found === undefined || bytes.length < found.end + 2) return undefined;
  const type = bytes.readUInt16BE(found.end);
  const flags = bytes.readUInt16BE(start + 2);
  const kind = (flags & 0x8000) === 0 ? "query" : `answer ${codes[flags & 15] ?? `code ${flags & 15}`}`;
  return `${kind} ${types[type] ?? `TYPE${type}`} ${found.name}`;
}

/** The first name of a message is not compressed. Bytes beyond printable ASCII are written as in zone files. */
function nameAt(bytes: Buffer, start: number): { readonly name: string; readonly end: number } | undefined {
  const labels: string[] = [];
  for (let at = start; at < bytes.length && at - start < 255; ) {
    const length = bytes[at]!;
    if (length === 0) return { name: labels.join(".") || ".", end: at + 1 };
    if (length > 63 || at + 1 + length > bytes.length) return undefined;
    labels.push([...bytes.subarray(at + 1, at + 1 + length)].map(written).join(""));
    at += 1 + length;
  }
  return undefined;
}

const written = (byte: number): string =>
  byte > 0x20 && byte < 0x7f && byte !== 0x2e && byte !== 0x5c
    ? String.fromCharCode(byte)
    : `\\${String(byte).padStart(3, "0")}`;

const codes: Readonly<Record<number, string>> = {
  0: "NOERROR",
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  5: "REFUSED",
};
const types: Readonly<Record<number, string>> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  12: "PTR",
  15: "MX",
  16: "TXT",
  28: "AAAA",
  33: "SRV",
  64: "SVCB",
  65: "HTTPS",
  255: "ANY",
};
