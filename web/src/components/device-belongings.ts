import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { everyRow } from "../api/reading.ts";
import type { Belongings } from "./holding-class.ts";

export function useBelongings(): Belongings {
  const trust = useQuery(everyRow("trustClasses", "list")).data;
  const privacy = useQuery(everyRow("privacyClasses", "list")).data;
  const groups = useQuery(everyRow("deviceGroups", "list")).data;
  return useMemo(
    () => ({ trust: byId(trust), privacy: byId(privacy), groups: byId(groups) }),
    [trust, privacy, groups],
  );
}

const byId = <T extends { readonly id: string }>(all: readonly T[] = []): Map<string, T> =>
  new Map(all.map((it) => [it.id, it]));
