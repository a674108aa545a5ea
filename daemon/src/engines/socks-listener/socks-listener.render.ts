import { because, type Reason } from "@portcullis/contract/reason";
import { fitsIntoSocks } from "../socks-credentials.model.ts";
import type { SocksListener, SocksListenerSettings, Sources } from "./socks-listener.model.ts";

/** The settings of the program. They contain the password in the clear: they are never written to a disk. */
export function renderSocksListener(listener: SocksListener, sources: Sources): string {
  const { listen, credentials, nameservers = [] } = listener;
  const settings: SocksListenerSettings = { listen, sources, credentials, nameservers };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Why SOCKS5 cannot do it, or nothing. */
export function impediment({ credentials }: SocksListener): Reason | undefined {
  if (!credentials) return undefined;
  const { username, password } = credentials;
  if (!fitsIntoSocks(username)) return because("username_size");
  return fitsIntoSocks(password) ? undefined : because("password_size");
}
