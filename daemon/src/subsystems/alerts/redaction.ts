import type { Subscription } from "./web-push.ts";
import type { PublishedAlertChannel } from "@portcullis/contract/subsystems/alert-channels";

/** What no stored or shown text may contain: the secret, the URL's path and query, and the topic, in every form that a receiver may send back. */
export function hiddenOf(channel: PublishedAlertChannel, secret: string | null): readonly string[] {
  const url =
    channel.type === "web_push" && secret !== null ? (JSON.parse(secret) as Subscription).endpoint : channel.url;
  const { pathname = "", search = "", searchParams } = (url === null ? null : URL.parse(url)) ?? {};
  const parts = [...pathname.split("/"), ...(searchParams?.values() ?? [])].filter((it) => it.length >= shortest);
  const path = pathname.replace(/\/+$/, "");
  const plain = [secret ?? "", path + search, path, search, ...parts, channel.topic ?? ""];
  return plain
    .filter((it) => it.length > 1)
    .flatMap((it) => [it, encodeURIComponent(it), decoded(it), JSON.stringify(it).slice(1, -1), inBase64(it)])
    .toSorted((a, b) => b.length - a.length);
}

/** A single letter of a path would make every text unreadable. */
const shortest = 4;

/** An answer on one line, without what is hidden, and without control characters. */
export function without(hidden: readonly string[], text: string): string {
  let shown = text;
  for (const it of hidden) shown = shown.replaceAll(it, "…");
  const line = shown.replace(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

const maxShown = 300;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that encodes nothing.
  }
}

const inBase64 = (text: string): string => Buffer.from(text).toString("base64");
