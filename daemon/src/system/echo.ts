import { Resolver } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import type { PqMode } from "../net/key-exchange.ts";
import { requestHttps, tlsError } from "./outbound-tls.ts";

interface Page {
  readonly pqMode: PqMode;
  readonly url: string;
  /** The source address: it decides the path. */
  readonly from: string;
  readonly timeoutMs: number;
}

const maxBytes = 4096;

/** The text of a page, requested from that source address, within the limit. */
export const requestPageFrom = ({ pqMode, url, from, timeoutMs }: Page): Promise<string> =>
  new Promise((resolve, reject) => {
    const family = from.includes(":") ? 6 : 4;
    const open = url.startsWith("https:") ? requestHttps.bind(null, pqMode) : requestHttp;
    const signal = AbortSignal.timeout(timeoutMs);
    const request = open(url, { localAddress: from, family, agent: false, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > maxBytes) response.destroy(new Error("the answer is too long"));
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    request.on("error", (error) => reject(tlsError(pqMode, error)));
    request.end();
  });

/** The address and TXT records of a name, from a resolver on the gateway. */
export async function queryNameAt(port: number, name: string, timeoutMs: number): Promise<string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const [v4, v6, texts] = await Promise.allSettled([
    resolver.resolve4(name),
    resolver.resolve6(name),
    resolver.resolveTxt(name),
  ]);
  const found = [
    ...(v4.status === "fulfilled" ? v4.value : []),
    ...(v6.status === "fulfilled" ? v6.value : []),
    ...(texts.status === "fulfilled" ? texts.value.map((it) => it.join("")) : []),
  ];
  if (found.length === 0 && v4.status === "rejected") throw v4.reason;
  return found;
}
