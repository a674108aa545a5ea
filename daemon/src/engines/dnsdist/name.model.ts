const dot = 46;
const backslash = 92;
const maxLabelBytes = 63;
const maxNameBytes = 255;

/** The wire form of a name, in lower case. Undefined for an invalid name. */
export function wireOf(name: string): Uint8Array<ArrayBuffer> | undefined {
  const into = new Uint8Array(Math.min(maxNameBytes, name.length + 2));
  const length = writeWire(name, into);
  return length < 0 ? undefined : into.subarray(0, length);
}

/**
 * The same for millions of names, into a buffer of 255 bytes; answers the length, or -1. A dot at the end may be there
 * or not; what is not a printable character, or is a dot of the label itself, is written `\ddd` or `\.` (RFC 1035, 5.1).
 */
export function writeWire(name: string, into: Uint8Array): number {
  if (name === "" || name === ".") {
    into[0] = 0;
    return 1;
  }
  let labelAt = 0;
  let end = 1;
  for (let at = 0; at < name.length; at += 1) {
    let code = name.charCodeAt(at);
    if (code === dot) {
      if (end === labelAt + 1) return -1;
      into[labelAt] = end - labelAt - 1;
      labelAt = end;
      end += 1;
      continue;
    }
    if (code < 0x21 || code > 0x7e) return -1;
    if (code === backslash) {
      const digits = /^\d{3}/.exec(name.slice(at + 1, at + 4))?.[0];
      code = digits === undefined ? name.charCodeAt(at + 1) : Number(digits);
      if (!(code <= 0xff)) return -1;
      at += digits === undefined ? 1 : 3;
    }
    if (end - labelAt > maxLabelBytes || end + 1 >= maxNameBytes) return -1;
    into[end] = code >= 65 && code <= 90 ? code + 32 : code;
    end += 1;
  }
  if (end === labelAt + 1) {
    into[labelAt] = 0;
    return end;
  }
  into[labelAt] = end - labelAt - 1;
  into[end] = 0;
  return end + 1;
}

/** A name's labels in normalized spelling. */
export function labelsOf(wire: Uint8Array): string[] {
  const labels: string[] = [];
  for (let at = 0; wire[at]; at += 1 + wire[at]!) {
    let label = "";
    for (let letter = at + 1; letter <= at + wire[at]!; letter += 1) label += written(wire[letter]!);
    labels.push(label);
  }
  return labels;
}

function written(byte: number): string {
  if (byte < 0x21 || byte > 0x7e) return `\\${String(byte).padStart(3, "0")}`;
  return byte === dot || byte === backslash ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
}
