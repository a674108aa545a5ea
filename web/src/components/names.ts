import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { allRows } from "../api/queries.ts";

/** Returns the name for an id; any other text is returned unchanged. */
export function useNames(): (word: string) => string {
  const rarely = { staleTime: 30_000 };
  const devices = useQuery({ ...allRows("devices", "list"), ...rarely }).data;
  const groups = useQuery({ ...allRows("deviceGroups", "list"), ...rarely }).data;
  const tunnels = useQuery(allRows("tunnels", "list")).data;
  const proxies = useQuery(allRows("proxies", "list")).data;
  const profiles = useQuery({ ...allRows("profiles", "list"), ...rarely }).data;
  const schedules = useQuery({ ...allRows("schedules", "list"), ...rarely }).data;
  return useMemo(
    () => sharedNames([devices, groups, tunnels, proxies, profiles, schedules]),
    [devices, groups, tunnels, proxies, profiles, schedules],
  );
}

type Named = readonly { readonly id: string; readonly name: string }[] | undefined;
let last: { readonly lists: readonly Named[]; readonly nameOf: (word: string) => string } | undefined;

/** All components of a page pass the same lists: the map of ten thousand names is built once for all of them. */
function sharedNames(lists: readonly Named[]): (word: string) => string {
  if (last && lists.every((list, index) => list === last!.lists[index])) return last.nameOf;
  const names = new Map(lists.flatMap((list) => (list ?? []).map(({ id, name }) => [id, name] as const)));
  const nameOf = (word: string) => names.get(word) ?? word;
  last = { lists, nameOf };
  return nameOf;
}

const idPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** A sentence of the gateway with ids replaced by names. */
export const readable = (sentence: string, nameOf: (word: string) => string): string =>
  sentence.replaceAll(idPattern, nameOf);
