/** The kind of a text, by its contents; the file name may be wrong. */
export type Recognised =
  | { readonly kind: "nothing" }
  | { readonly kind: "unknown" }
  | { readonly kind: "wireguard" }
  | { readonly kind: "openvpn"; readonly needsCredentials: boolean };

export function recognise(text: string): Recognised {
  const lines = outsideBlocks(text);
  if (lines.length === 0) return { kind: "nothing" };
  if (lines.some((line) => /^\[(?:interface|peer)\]$/i.test(line))) return { kind: "wireguard" };
  if (!lines.some((line) => openvpnDirective.test(line))) return { kind: "unknown" };
  const hasCredentials = lines.some((line) => /^<auth-user-pass>/i.test(line));
  return { kind: "openvpn", needsCredentials: !hasCredentials && lines.some((line) => /^auth-user-pass\b/.test(line)) };
}

const openvpnDirective =
  /^(?:client$|remote\s|dev\s|proto\s|tls-client$|<(?:ca|cert|key|tls-auth|tls-crypt|connection)>)/;

/** Lines with a directive: no comments, no certificates. */
function outsideBlocks(text: string): string[] {
  const found: string[] = [];
  let within: string | undefined;
  for (const line of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((it) => it.trim())) {
    if (within !== undefined) {
      if (line === `</${within}>`) within = undefined;
    } else if (line !== "" && !/^[#;]/.test(line)) {
      found.push(line);
      const block = /^<([a-z0-9-]+)>$/i.exec(line)?.[1];
      // A <connection> block contains directives like the lines around it.
      if (block !== undefined && block !== "connection") within = block;
    }
  }
  return found;
}

const longestName = 120;

/** "downloads/nl-ams_01.conf" → "nl-ams 01": a readable name from a file name. */
export function nameFrom(file: string): string {
  const last = file.split(/[\\/]/).at(-1)!;
  return last
    .replace(/\.(?:conf|ovpn|txt|cfg)$/i, "")
    .replaceAll(/[_\s]+/g, " ")
    .trim()
    .slice(0, longestName);
}
