import type { ZoneText } from "./nsd.model.ts";

/** The zones as they are. */
export interface ObservedZones {
  /** Those NSD says it has; nothing when it does not answer. */
  readonly served: readonly string[] | undefined;
  /** Name → what lies in its file, and the digest of what NSD was last told to read. */
  readonly files: ReadonlyMap<string, { readonly text: string; readonly loadedDigest: string }>;
}

export type ZoneChange =
  | { readonly kind: "add"; readonly zone: ZoneText }
  | { readonly kind: "reload"; readonly zone: ZoneText }
  | { readonly kind: "remove"; readonly name: string };

/** A file that is right, but was not read since, counts as another one. */
export function zoneChanges(
  wanted: readonly ZoneText[],
  { served = [], files }: ObservedZones,
  digest: (text: string) => string,
): ZoneChange[] {
  const names = new Set(wanted.map(({ name }) => name));
  const known = new Set([...served, ...files.keys()]);
  const isSettled = ({ name, text }: ZoneText) => {
    const file = files.get(name);
    return file?.text === text && file.loadedDigest === digest(text);
  };
  return [
    ...[...known].filter((name) => !names.has(name)).map((name) => ({ kind: "remove" as const, name })),
    ...wanted
      .filter((zone) => !served.includes(zone.name) || !isSettled(zone))
      .map((zone) => ({ kind: served.includes(zone.name) ? ("reload" as const) : ("add" as const), zone })),
  ];
}
