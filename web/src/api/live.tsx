import type { Event, EventName } from "@portcullis/contract/events";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useState } from "react";
import { routes } from "virtual:routes";
import { basePath } from "./contract.ts";
import { hangUp, type Subsystem } from "./gateway.ts";

/** live: events arrive. paused: the tab is hidden. stale: the stream broke at `since`. off: the role may not read events. */
export interface Line {
  readonly state: "live" | "paused" | "stale" | "off";
  readonly since: Date;
}

type Listener = (event: Event) => void;
const listeners = new Set<Listener>();
const LineState = createContext<Line>({ state: "off", since: new Date() });

export const useLine = (): Line => useContext(LineState);

/** Calls the listener for every event while the component is mounted. */
export function useEvents(hear: Listener): void {
  const heard = useEffectEvent(hear);
  useEffect(() => {
    const listener: Listener = (event) => heard(event);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

/** One event stream per tab. It is closed while the tab is hidden; afterwards all queries are refetched. */
export function LiveProvider({ enabled, children }: { readonly enabled: boolean; readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [line, setLine] = useState<Line>({ state: "off", since: new Date() });
  useEffect(() => {
    if (!enabled) return;
    let stream: EventSource | undefined;
    let ended = false;
    const turn = (state: Line["state"]) => setLine((was) => (was.state === state ? was : { state, since: new Date() }));
    const open = (): void => {
      if (stream !== undefined) return;
      stream = new EventSource(`${basePath}/events`);
      stream.onopen = () => {
        turn("live");
        void queries.invalidateQueries();
      };
      stream.onerror = () => turn("stale");
      for (const name of Object.keys(renewedBy) as EventName[])
        stream.addEventListener(name, ({ data }) => hear(queries, JSON.parse(data as string) as Event));
    };
    const close = (): void => {
      stream?.close();
      stream = undefined;
    };
    const look = (): void => {
      if (document.visibilityState === "visible") return open();
      close();
      turn("paused");
    };
    look();
    document.addEventListener("visibilitychange", look);
    const again = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      void isAnswered().then((isThere) => {
        if (ended) return;
        if (!isThere) {
          turn("stale");
          close();
          return hangUp();
        }
        // The browser closed the stream for good: open a new one, the gateway may have restarted.
        if (stream?.readyState === EventSource.CLOSED) close();
        look();
      });
    }, pulseMs);
    return () => {
      ended = true;
      document.removeEventListener("visibilitychange", look);
      clearInterval(again);
      close();
    };
  }, [enabled, queries]);
  return <LineState value={line}>{children}</LineState>;
}

const pulseMs = 5000;
const patienceMs = 4000;

/** A broken stream is as silent as an idle one, so the gateway is polled. */
const isAnswered = (): Promise<boolean> =>
  fetch(`${basePath}/health`, { cache: "no-store", signal: AbortSignal.timeout(patienceMs) }).then(
    () => true,
    () => false,
  );

function hear(queries: QueryClient, event: Event): void {
  const renewed = renewedBy[event.event];
  const named = event.event === "audit.recorded" ? byNoun.get(String(event.data["resource_type"])) : undefined;
  for (const subsystem of [...renewed, ...(named ?? [])]) void queries.invalidateQueries({ queryKey: [subsystem] });
  for (const listener of listeners) listener(event);
}

/** Queries that an event invalidates. The type requires an entry for each event. */
const renewedBy: Readonly<Record<EventName, readonly Subsystem[]>> = {
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
  "exception.started": ["exceptions", "policyViews"],
  "exception.ended": ["exceptions", "policyViews"],
  "device.discovered": ["devices"],
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
  "leak.checked": ["privacy"],
  "dns.bypass": ["privacy"],
  "killswitch.engaged": ["privacy"],
  "dns.plane_down": ["dns"],
  "dns.plane_up": ["dns"],
  "dns.list_updated": ["dnsPresets", "dns"],
  "dns.list_failed": ["dnsPresets"],
  "dns.clock_suspect": ["dns"],
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
