import { because, type Reason } from "@portcullis/contract/reason";
import { fitsIntoSocks } from "../socks-credentials.model.ts";
import type { SocksListener } from "./dante.model.ts";

/** What danted finds in its /etc. Nothing of it is secret. It leaves with these addresses: those of its interface. */
export function renderDante(listener: SocksListener, addresses: readonly string[]): Readonly<Record<string, string>> {
  const { listen, credentials, userId, nameservers = [] } = listener;
  const method = credentials ? "username" : "none";
  const account = credentials?.username ?? "listener";
  return {
    // No `log` in the rules: destinations of devices are not recorded. No `bind`: no connections from outside.
    "danted.conf": `errorlog: stderr
internal: ${listen.address} port = ${listen.port}
${addresses.map((address) => `external: ${address}`).join("\n")}
clientmethod: none
socksmethod: ${method}
client pass {
	from: 0/0 to: 0/0
}
socks pass {
	from: 0/0 to: 0/0
	command: connect udpassociate
	socksmethod: ${method}
}
socks pass {
	from: 0/0 to: 0/0
	command: udpreply
}
`,
    passwd: `${account}:x:${userId}:${userId}::/:/usr/sbin/nologin\n`,
    group: `listener:x:${userId}:\n`,
    "nsswitch.conf": `passwd: files
group: files
shadow: files
hosts: ${nameservers.length > 0 ? "dns" : "files"}
`,
    "resolv.conf": nameservers.map((address) => `nameserver ${address}\n`).join(""),
  };
}

/** The one account danted knows, with its password as `crypt` keeps it. */
export const renderShadow = (username: string, hash: string): string => `${username}:${hash}:1:0:99999:7:::\n`;

/** Why danted cannot do it, or nothing. */
export function impediment({ credentials }: SocksListener): Reason | undefined {
  if (!credentials) return undefined;
  const { username, password } = credentials;
  if (!/^[^:\p{Cc}]+$/u.test(username)) return because("username_signs");
  if (!fitsIntoSocks(username)) return because("username_size");
  if (!fitsIntoSocks(password)) return because("password_size");
  return /\p{Cc}/u.test(password) ? because("password_unprintable") : undefined;
}
