import type { Fact } from "../fact.ts";
import { visibleText } from "./visible.ts";

/** A device that announces that it is there (UPnP Device Architecture, 1.2). Its product is all that it says itself. */
export function announcementIn(bytes: Uint8Array): readonly Omit<Fact, "seenMs">[] {
  const [first, ...lines] = new TextDecoder().decode(bytes).split("\r\n");
  if (first !== "NOTIFY * HTTP/1.1") return [];
  const header = (name: string) =>
    lines
      .find((it) => it.slice(0, name.length + 1).toLowerCase() === `${name}:`)
      ?.slice(name.length + 1)
      .trim();
  if (header("nts") !== "ssdp:alive") return [];
  const product = visibleText(header("server") ?? "");
  return product === "" ? [] : [{ field: "product", value: product, source: "ssdp" }];
}
