import { networkInterfaces } from "node:os";
import { encodeQR } from "qr";
import { parseListenAddress } from "../config/formats.ts";
import type { Bootstrap } from "../config/keys.ts";

interface Setup {
  readonly code: string;
  /** Where the daemon listens, as it logs it. */
  readonly address: string;
  readonly bootstrap: Bootstrap;
}

/** Printed at the start of a gateway without an admin: the setup code, and the URL as text and as QR code. */
export function setupNotice({ code, address, bootstrap }: Setup): string {
  const url = setupUrl(code, address, bootstrap);
  return [
    "",
    "This gateway has no admin account yet. To create it, open",
    `  ${url}`,
    `or enter the setup code ${code} in the web interface. It works once.`,
    "",
    encodeQR(url, "ascii", { ecc: "low", border: 2 }),
    "",
  ].join("\n");
}

/** The code is in the fragment, which browsers do not send to the server. */
export function setupUrl(code: string, address: string, { listen, network }: Bootstrap): string {
  const url = new URL("/start", address);
  const { host } = parseListenAddress(listen.api_addr)!;
  if (host === "0.0.0.0" || host === "::") url.hostname = lanAddress(network.lan_iface) ?? "localhost";
  url.hash = `setup=${code}`;
  return url.href;
}

/** If the gateway listens on all addresses, the one that a phone on the LAN can reach. */
function lanAddress(lan: string): string | undefined {
  const found = networkInterfaces()[lan]?.filter(({ scopeid }) => !scopeid) ?? [];
  const { family, address } = found.find((it) => it.family === "IPv4") ?? found[0] ?? {};
  return family === "IPv6" ? `[${address}]` : address;
}
