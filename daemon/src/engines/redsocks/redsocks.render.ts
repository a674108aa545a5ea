import { because, type Reason } from "@portcullis/contract/reason";
import { fitsIntoSocks } from "../socks-credentials.model.ts";
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
export function impediment({ server, credentials }: Redirector): Reason | undefined {
  if (server.address.includes(":")) return because("proxy_ipv4_only");
  if (!credentials) return undefined;
  const { username, password } = credentials;
  if (!fitsIntoSocks(username)) return because("username_size");
  if (unprintable.test(username)) return because("username_unprintable");
  if (!fitsIntoSocks(password)) return because("password_size");
  return unprintable.test(password) ? because("password_unprintable") : undefined;
}

const unprintable = /\p{Cc}/u;
