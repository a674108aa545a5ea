import type { Event, EventName } from "@portcullis/contract/events";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useState } from "react";
import { routes } from "virtual:routes";
import { basePath } from "./contract.ts";
import { abortReads, type Subsystem } from "./gateway.ts";

/** live: events arrive. paused: the tab is hidden. stale: the stream broke at `since`. off: the role may not read events. */
export interface Connection {
  readonly state: "live" | "paused" | "stale" | "off";
  readonly since: Date;
}

type Listener = (event: Event) => void;
const listeners = new Set<Listener>();
const ConnectionContext = createContext<Connection>({ state: "off", since: new Date() });

export const useConnection = (): Connection => useContext(ConnectionContext);

/** Calls the listener for every event while the component is mounted. */
export function useEvents(dispatch: Listener): void {
  const onEvent = useEffectEvent(dispatch);
  useEffect(() => {
    const listener: Listener = (event) => onEvent(event);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

/** One event stream per tab. It is closed while the tab is hidden; afterwards all queries are refetched. */
export function LiveProvider({ enabled, children }: { readonly enabled: boolean; readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [connection, setConnection] = useState<Connection>({ state: "off", since: new Date() });
  useEffect(() => {
    if (!enabled) return;
    let stream: EventSource | undefined;
    let ended = false;
    const setState = (state: Connection["state"]) =>
      setConnection((was) => (was.state === state ? was : { state, since: new Date() }));
    const open = (): void => {
      if (stream !== undefined) return;
      stream = new EventSource(`${basePath}/events`);
      stream.onopen = () => {
        setState("live");
        void queries.invalidateQueries();
      };
      stream.onerror = () => setState("stale");
      for (const name of Object.keys(invalidatedBy) as EventName[])
        stream.addEventListener(name, ({ data }) => dispatch(queries, JSON.parse(data as string) as Event));
    };
    const close = (): void => {
      stream?.close();
      stream = undefined;
    };
    const reconnect = (): void => {
      if (document.visibilityState === "visible") return open();
      close();
      setState("paused");
    };
    reconnect();
    document.addEventListener("visibilitychange", reconnect);
    const again = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      void isReachable().then((isThere) => {
        if (ended) return;
        if (!isThere) {
          setState("stale");
          close();
          return abortReads();
        }
        // The browser closed the stream for good: open a new one, the gateway may have restarted.
        if (stream?.readyState === EventSource.CLOSED) close();
        reconnect();
      });
    }, heartbeatMs);
    return () => {
      ended = true;
      document.removeEventListener("visibilitychange", reconnect);
      clearInterval(again);
      close();
    };
  }, [enabled, queries]);
  return <ConnectionContext value={connection}>{children}</ConnectionContext>;
}

const heartbeatMs = 5000;
const timeoutMs = 4000;

/** A broken stream is as silent as an idle one, so the gateway is polled. */
const isReachable = (): Promise<boolean> =>
  fetch(`${basePath}/health`, { cache: "no-store", signal: AbortSignal.timeout(timeoutMs) }).then(
    () => true,
    () => false,
  );

function dispatch(queries: QueryClient, event: Event): void {
  const invalidated = invalidatedBy[event.event];
  const named = event.event === "audit.recorded" ? byNoun.get(String(event.data["resource_type"])) : undefined;
  for (const subsystem of [...invalidated, ...(named ?? [])]) void queries.invalidateQueries({ queryKey: [subsystem] });
  for (const listener of listeners) listener(event);
}

/** Queries that an event invalidates. The type requires an entry for each event. */
const invalidatedBy: Readonly<Record<EventName, readonly Subsystem[]>> = {
  "revision.published": ["changes", "snapshots", "enforcement", "policyViews", "status"],
  "revision.applied": ["changes", "enforcement", "policyViews", "status", "tunnels"],
  "change.pending": ["changes"],
  "change.confirmed": ["changes", "routing", "snapshots"],
  "change.reverted": ["changes", "routing", "snapshots", "policyViews", "tunnels", "devices"],
  "enforcement.provisional": ["firstEnforcement", "status"],
  "enforcement.confirmed": ["firstEnforcement", "status"],
  "enforcement.reverted": ["firstEnforcement", "status", "enforcement", "privacy"],
  "audit.recorded": ["audit"],
  "auth.login_failed": [],
  "schedule.started": ["schedules", "routing", "policyViews", "tunnels"],
  "schedule.ended": ["schedules", "routing", "policyViews", "tunnels"],
  "exception.started": ["exceptions", "policyViews"],
  "exception.ended": ["exceptions", "policyViews"],
  "pause.started": ["pauses", "policyViews", "dns", "status"],
  "pause.ended": ["pauses", "policyViews", "dns", "status"],
  "device.discovered": ["discovery"],
  "device.port_scan": [],
  "port_scan.incomplete": [],
  "device.online": ["devices", "discovery"],
  "device.offline": ["devices", "discovery"],
  "drift.detected": ["enforcement"],
  "uplink.state": ["uplinks"],
  "uplink.switched": ["uplinks"],
  "tunnel.state": ["tunnels", "policyViews"],
  "tunnel.down": ["tunnels", "policyViews"],
  "tunnel.address_refused": ["tunnels"],
  "tunnel.flap": ["tunnels"],
  "policy.direct_fallback": ["policyViews", "tunnels"],
  "policy.blocked": ["policyViews", "tunnels"],
  "policy.restored": ["policyViews", "tunnels"],
  "leak.detected": ["privacy"],
  "leak.cleared": ["privacy"],
  "leak.progress": [],
  "leak.checked": ["privacy"],
  "dns.bypass": ["privacy"],
  "killswitch.engaged": ["privacy"],
  "dns.plane_down": ["dns"],
  "dns.plane_up": ["dns"],
  "dns.list_updated": ["dnsPresets", "dns"],
  "dns.list_failed": ["dnsPresets"],
  "dns.clock_suspect": ["dns"],
  "resource.exhausted": ["status"],
  "resource.recovered": ["status"],
  "certificate.expiring": ["status"],
  "certificate.expired": ["status"],
  "certificate.not_yet_valid": ["status"],
  "certificate.renewed": ["status"],
  "alert.raised": ["alerts", "alertDeliveries"],
  "alert.resolved": ["alerts", "alertDeliveries"],
  "alert.undelivered": ["alertDeliveries", "alertChannels", "status"],
  "mqtt.connected": ["mqtt", "status"],
  "mqtt.disconnected": ["mqtt", "status"],
  "anomaly.detected": ["anomalies"],
  "anomaly.ended": ["anomalies"],
  "daemon.stopping": [],
};

/** Subsystems by the noun that the audit log uses for their endpoints. */
const byNoun: ReadonlyMap<string, readonly Subsystem[]> = nouns();

function nouns(): Map<string, Subsystem[]> {
  const found = new Map<string, Subsystem[]>([["dns_domains", ["dnsBlocklist", "dnsAllowlist"]]]);
  for (const [subsystem, endpoints] of Object.entries(routes))
    for (const { audit } of Object.values(endpoints))
      if (audit) found.set(audit.noun, [...new Set([...(found.get(audit.noun) ?? []), subsystem as Subsystem])]);
  return found;
}
