import { type GatewayApi, basePath } from "./contract.ts";
import { type Client, createClient, type Send } from "@portcullis/contract/client";
import { routes } from "virtual:routes";

/** The only connection to the daemon: the public API, through the contract's client. */
export const gateway = createClient(routes, send()) as unknown as Client<GatewayApi>;

export type Gateway = Client<GatewayApi>;
export type Subsystem = keyof Gateway;
export type Operation<S extends Subsystem = Subsystem> = keyof Gateway[S] & string;

let reads = new AbortController();

/** Aborts all open GET requests: on a broken connection each would occupy a socket for minutes. */
export function abortReads(): void {
  reads.abort(new TypeError("The line was cut"));
  reads = new AbortController();
}

function send(): Send {
  return async ({ method, url, body, type = "application/json", accept }) => {
    const response = await fetch(`${basePath}${url}`, {
      method,
      ...(body !== undefined && { body, headers: { "content-type": type } }),
      credentials: "same-origin",
      cache: "no-store",
      // Changes are not aborted: it would be unknown whether they arrived.
      ...(method === "GET" && { signal: reads.signal }),
    });
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return {
      status: response.status,
      body: isJson ? await response.json() : accept === "text/plain" ? await response.text() : undefined,
      header: (name) => response.headers.get(name),
    };
  };
}
