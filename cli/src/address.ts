import { basePath } from "@portcullis/contract/api";
import { Misuse } from "./failure.ts";

export const defaultAddress = "http://localhost:8080";
export const defaultSocket = "/run/portcullis/api.sock";

/** Where requests go: a Unix socket on the gateway itself, or an HTTP address. */
export type Target =
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "http"; readonly origin: string; readonly base: string };

/** `GATEWAY_ADDR` → target. Without it the gateway's socket is used where this user can open it. */
export function targetOf(address: string | undefined, canOpen: (path: string) => boolean): Target {
  const given = address?.trim() ?? "";
  if (given === "" && canOpen(defaultSocket)) return { kind: "socket", path: defaultSocket };
  if (given.startsWith("unix:")) return { kind: "socket", path: socketPath(given) };
  const base = baseOf(given);
  return { kind: "http", origin: new URL(base).origin, base };
}

function socketPath(given: string): string {
  const path = given.replace(/^unix:(?:\/\/(?=\/))?/, "");
  if (!path.startsWith("/"))
    throw new Misuse(
      `GATEWAY_ADDR is ${JSON.stringify(given)}; a socket is unix: and an absolute path, such as unix:${defaultSocket}`,
    );
  return path;
}

function baseOf(given: string): string {
  const address = given === "" ? defaultAddress : given;
  const url = URL.parse(address.includes("://") ? address : `http://${address}`);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new Misuse(
      `GATEWAY_ADDR is ${JSON.stringify(address)}; it must be an HTTP address such as ${defaultAddress}, or unix:${defaultSocket}`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Misuse("GATEWAY_ADDR takes a scheme, a host and a port, and at most a path: no user, password or query");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}${basePath}`;
}
