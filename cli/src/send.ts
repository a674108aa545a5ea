import type { Answer, Send } from "@portcullis/contract/client";
import { version } from "@portcullis/contract/version";
import { baseOf } from "./address.ts";
import { Unreachable } from "./failure.ts";

/** Sends requests to the gateway at an address. */
export const sendTo =
  (address: string | undefined): Send =>
  async ({ method, url, body, type = "application/json" }) => {
    const base = baseOf(address);
    try {
      const response = await fetch(`${base}${url}`, {
        method,
        redirect: "manual",
        headers: {
          accept: "application/json",
          "user-agent": `portcullis/${version}`,
          ...(body !== undefined && { "content-type": type }),
        },
        ...(body !== undefined && { body }),
      });
      return toAnswer(response, await response.text(), base);
    } catch (cause) {
      if (cause instanceof Unreachable) throw cause;
      const sentence = `The gateway at ${new URL(base).origin} cannot be reached (${reasonOf(cause)})`;
      throw new Unreachable(`${sentence}; GATEWAY_ADDR says where it is`, { cause });
    }
  };

/** A followed redirect would turn a POST into a GET, so where it leads is told instead. */
function toAnswer({ status, headers }: Response, text: string, base: string): Answer {
  if (status >= 300 && status < 400)
    throw new Unreachable(`${base} sends elsewhere: ${headers.get("location")}; set GATEWAY_ADDR to that place`);
  const body = parsed(text);
  if (status < 300 && body === undefined)
    throw new Unreachable(`${base} answers, but not in JSON; is GATEWAY_ADDR the address of a gateway?`);
  return { status, body, header: (name) => headers.get(name) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON: a proxy's error page, or another program on that port.
  }
}

/** fetch says "fetch failed" and puts the reason below it. */
function reasonOf(failure: unknown): string {
  const { cause, message } = failure as Error;
  const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? reason ?? message;
}
