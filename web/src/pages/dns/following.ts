import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import { useEffect, useRef, useState } from "react";
import { gateway } from "../../api/gateway.ts";
import { follow, type LogBuffer } from "./log-buffer.ts";

export interface LogFilters {
  readonly name?: string;
  readonly client?: string;
  readonly type?: string;
  readonly verdict?: DnsLogEntry["verdict"];
}

const pauseMs = 1000;

interface Following {
  readonly buffer: LogBuffer | undefined;
  readonly problem: Error | undefined;
}
const nothing: Following = { buffer: undefined, problem: undefined };

/** The live log, read once a second while `going` and the tab is visible. New filters start a new log. */
export function useFollowing(filters: LogFilters, going: boolean): Following {
  const wanted = JSON.stringify(filters);
  const [seen, setSeen] = useState<Following & { readonly of: string }>({ ...nothing, of: wanted });
  const known = useRef<LogBuffer | undefined>(undefined);
  const knownOf = useRef(wanted);
  useEffect(() => {
    if (knownOf.current !== wanted) {
      known.current = undefined;
      knownOf.current = wanted;
    }
    // A log that was never read is read once, also while it is paused.
    if (!going && known.current !== undefined) return;
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (query: { readonly after?: number; readonly limit: number }) =>
      (await gateway.dnsLog.list({ query: { ...(JSON.parse(wanted) as LogFilters), ...query } })).items;
    const step = async () => {
      if (document.visibilityState === "visible") {
        const next = await follow(read, known.current).catch((problem: Error) => problem);
        if (stopped) return;
        if (next instanceof Error) setSeen({ buffer: known.current, problem: next, of: wanted });
        else {
          const changed = next !== known.current;
          known.current = next;
          setSeen((was) =>
            changed || was.problem || was.of !== wanted ? { buffer: next, problem: undefined, of: wanted } : was,
          );
        }
      }
      if (going || known.current === undefined) timer = setTimeout(() => void step(), pauseMs);
    };
    void step();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [wanted, going]);
  return seen.of === wanted ? seen : nothing;
}
