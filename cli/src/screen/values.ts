import { escapeControls } from "../escape.ts";
import { joined, type Rich, rich, sentence, type Screen, type Style, withStyle } from "./rich.ts";

/** What the words of a value depend on. */
export interface Reading {
  readonly now: Date;
  readonly screen: Screen;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A value of a field, in words. Nothing is an empty line. */
export function words(field: string, value: unknown, reading: Reading): Rich {
  if (value === null || value === undefined || value === "") return [];
  if (value === true) return rich("yes");
  if (value === false) return rich("no");
  if (typeof value === "number") return rich(numberWords(field, value));
  if (typeof value === "string")
    return timestamp.test(value) ? rich(timeWords(value, reading, field)) : withStyle(value, styles[value]);
  if (Array.isArray(value)) return listWords(field, value, reading);
  return joined(
    fieldsOf(value).map(([name, part]) => sentence`${name.replaceAll("_", " ")} ${words(name, part, reading)}`),
    ", ",
  );
}

/** The fields that a person reads: sentences, not their codes. */
export const fieldsOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(
    ([name, part]) =>
      !name.startsWith("coded_") && !isNothing(part) && !(name === "source_value" && "source_name" in value),
  );

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Hops are shown in their order, other lists with commas. */
const listWords = (field: string, values: readonly unknown[], reading: Reading): Rich =>
  field === "hops"
    ? hopWords(values as readonly { readonly target: string }[])
    : joined(
        values.map((it) => words(field, it, reading)),
        values.some((it) => typeof it === "object") ? "; " : ", ",
      );

export const hopWords = (hops: readonly { readonly target: string }[]): Rich =>
  joined(
    hops.map(({ target }) => rich(target)),
    " → ",
  );

/** Colours say nothing that the word does not say. */
const styles: Readonly<Record<string, Style>> = {
  ok: "good",
  up: "good",
  protected: "good",
  "no-leak": "good",
  degraded: "warn",
  connecting: "warn",
  warning: "warn",
  failed: "bad",
  down: "bad",
  blocked: "bad",
  block: "bad",
  exposed: "bad",
  leak: "bad",
  critical: "bad",
};

function numberWords(field: string, value: number): string {
  if (field.endsWith("_sec")) return duration(value);
  if (field.endsWith("_min")) return duration(value * 60);
  if (field.endsWith("_ms")) return `${Math.round(value * 10) / 10} ms`;
  if (/(?:^|_)bytes$/.test(field) || ["tx", "rx"].includes(field)) return size(value);
  return String(value);
}

/** `45 s`, `9 min`, `2 h 30 min`, `3 days`. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}

/** Logs have the time of the clock; other times of the last and the next hour are relative. */
export function timeWords(at: string, { now, screen }: Reading, field = "at"): string {
  const ms = Date.parse(at) - now.getTime();
  if (field !== "timestamp" && Math.abs(ms) < 3_600_000) {
    const span = duration(Math.abs(ms) / 1000);
    return Math.abs(ms) < 1000 ? "just now" : ms > 0 ? `in ${span}` : `${span} ago`;
  }
  const [day, time] = dateAndTime(new Date(at), screen);
  const [today] = dateAndTime(now, screen);
  if (day === today) return field === "timestamp" ? time : time.slice(0, 5);
  return `${day} ${time.slice(0, 5)}`;
}

function dateAndTime(at: Date, { timeZone }: Screen): [day: string, time: string] {
  const format = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "medium",
    ...(timeZone !== undefined && { timeZone }),
  });
  const [day, time] = format.format(at).split(" ");
  return [day!, time!];
}

/** `raised_at` → `raised`: the name of a field as a person reads it. */
export const label = (field: string): string =>
  escapeControls(labels[field] ?? field.replace(/_(?:at|sec|min|ms|bytes|ids)$/, "").replaceAll("_", " "));

const labels: Readonly<Record<string, string>> = {
  timestamp: "time",
  source_name: "for",
  device_name: "device",
  resource_name: "name",
  remaining_sec: "left",
  fail_policy: "if down",
  rtt_ms: "RTT",
  ips: "addresses",
  mac: "MAC",
  id: "ID",
};
