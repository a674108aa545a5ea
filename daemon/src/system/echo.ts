import { Resolver } from "node:dns/promises";
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";

interface Page {
  readonly url: string;
  /** Which of our own addresses to ask from: that decides by which way we are heard. */
  readonly from: string;
  readonly timeoutMs: number;
}

const mostBytes = 4096;

/** What a page answers to whoever asks from that address. It fails when that takes longer than the limit. */
export const requestPageFrom = ({ url, from, timeoutMs }: Page): Promise<string> =>
  new Promise((resolve, reject) => {
    const family = from.includes(":") ? 6 : 4;
    const get = url.startsWith("https:") ? getSecure : getPlain;
    const signal = AbortSignal.timeout(timeoutMs);
    const request = get(url, { localAddress: from, family, agent: false, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > mostBytes) response.destroy(new Error("it answers more than anybody asked for"));
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    request.on("error", reject);
  });

/** Whatever a resolver on the gateway says of a name: addresses, and texts. */
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
