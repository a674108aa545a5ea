import { readFileSync } from "node:fs";
import type { DnsProxySettings } from "../engines/dns-proxy/dns-proxy.model.ts";
import { openListeners } from "./listeners.ts";
import { openUpstream } from "./upstream.ts";

/*
 * A program of its own, confined. It stands between dnsdist and an upstream, for each upstream at an address of its own on
 * loopback, and carries questions there as they are.
 */
const settings = JSON.parse(readFileSync("/etc/dns-proxy.json", "utf8")) as DnsProxySettings;
const needs = {
  issuers: "/etc/issuers.pem",
  nowMs: () => performance.now(),
  log: (line: string) => void process.stdout.write(`${line}\n`),
};
await Promise.all(
  settings.routes.map((route) =>
    openListeners({ address: route.listen, port: settings.port, upstream: openUpstream(route, needs) }),
  ),
);
needs.log("It listens"); // The daemon waits for these words before it tells anybody to ask here.
