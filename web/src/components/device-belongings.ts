import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { allRows } from "../api/queries.ts";
import type { Belongings } from "./effective-class.ts";

export function useBelongings(): Belongings {
  const trust = useQuery(allRows("trustClasses", "list")).data;
  const privacy = useQuery(allRows("privacyClasses", "list")).data;
  const groups = useQuery(allRows("deviceGroups", "list")).data;
  return useMemo(
    () => ({ trust: byId(trust), privacy: byId(privacy), groups: byId(groups) }),
    [trust, privacy, groups],
  );
}

const byId = <T extends { readonly id: string }>(all: readonly T[] = []): Map<string, T> =>
  new Map(all.map((it) => [it.id, it]));
