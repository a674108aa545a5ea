import { readFileSync } from "node:fs";
import type { DnsProxySettings } from "../engines/dns-proxy/dns-proxy.model.ts";
import { openListeners } from "./listeners.ts";
import { openUpstream } from "./upstream.ts";

/*
 * A program of its own, in a sandbox. It forwards queries of dnsdist to upstreams unchanged, each upstream at its own
 * loopback address.
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
needs.log("It listens"); // The daemon waits for this line before it configures dnsdist to query here.
