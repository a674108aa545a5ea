import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { allRows } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";

/** The API names an egress by its kernel interface; users know the tunnel's name. Replaces interface names in a text. */
export function useEgressNames(): (words: string) => string {
  const may = useMay();
  const tunnels = useQuery({ ...allRows("tunnels", "list"), enabled: may(["tunnels", "list"]) }).data;
  return useMemo(() => {
    const names = new Map((tunnels ?? []).map((it) => [it.interface, it.name]));
    return (words) => words.replaceAll(/[a-z][a-z0-9._-]*/g, (word) => names.get(word) ?? word);
  }, [tunnels]);
}
