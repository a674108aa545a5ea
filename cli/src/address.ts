import { basePath } from "@portcullis/contract/api";
import { Misuse } from "./failure.ts";

export const defaultAddress = "http://localhost:8080";

/** What `GATEWAY_ADDR` says → the base every request starts from. */
export function baseOf(address: string | undefined): string {
  const said = address === undefined || address.trim() === "" ? defaultAddress : address.trim();
  const url = URL.parse(said.includes("://") ? said : `http://${said}`);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new Misuse(`GATEWAY_ADDR is ${JSON.stringify(said)}, which is no HTTP address such as ${defaultAddress}`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Misuse("GATEWAY_ADDR takes a scheme, a host and a port, and at most a path: no user, password or query");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}${basePath}`;
}
