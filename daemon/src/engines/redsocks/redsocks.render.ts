import type { Redirector } from "./redsocks.model.ts";

/** The configuration of redsocks. It contains the password in the clear: it is never written to a disk. */
export function renderRedsocks({ port, server, credentials }: Redirector): string {
  const login = credentials
    ? `\tlogin = ${quoted(credentials.username)};\n\tpassword = ${quoted(credentials.password)};\n`
    : "";
  return `base {
	log_debug = off;
	log_info = off;
	log = stderr;
	daemon = off;
	redirector = iptables;
}
redsocks {
	local_ip = 0.0.0.0;
	local_port = ${port};
	ip = ${server.address};
	port = ${server.port};
	type = socks5;
${login}}
`;
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, (sign) => `\\${sign}`)}"`;

/** Why redsocks cannot do it, or nothing. */
export function impediment({ server, credentials }: Redirector): string | undefined {
  if (server.address.includes(":")) return "redsocks supports servers with IPv4 only.";
  for (const [what, text] of Object.entries(credentials ?? {})) {
    const size = new TextEncoder().encode(text).length;
    // RFC 1929 has one byte for each length.
    if (size < 1 || size > 255) return `The ${what} must have 1 to 255 bytes.`;
    if (unprintable.test(text)) return `The ${what} has a sign that cannot be printed.`;
  }
  return undefined;
}

const unprintable = /\p{Cc}/u;
