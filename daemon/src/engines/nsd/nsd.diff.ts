import type { ZoneText } from "./nsd.model.ts";

/** The observed zones. */
export interface ObservedZones {
  /** The zones NSD reports; undefined if it does not answer. */
  readonly served: readonly string[] | undefined;
  /** Name → text of its file, and the digest of the text that NSD last loaded. */
  readonly files: ReadonlyMap<string, { readonly text: string; readonly loadedDigest: string }>;
}

export type ZoneChange =
  | { readonly kind: "add"; readonly zone: ZoneText }
  | { readonly kind: "reload"; readonly zone: ZoneText }
  | { readonly kind: "remove"; readonly name: string };

/** A correct file that was not loaded since counts as changed. */
export function zoneChanges(
  wanted: readonly ZoneText[],
  { served = [], files }: ObservedZones,
  digest: (text: string) => string,
): ZoneChange[] {
  const names = new Set(wanted.map(({ name }) => name));
  const known = new Set([...served, ...files.keys()]);
  const isLoaded = ({ name, text }: ZoneText) => {
    const file = files.get(name);
    return file?.text === text && file.loadedDigest === digest(text);
  };
  return [
    ...[...known].filter((name) => !names.has(name)).map((name) => ({ kind: "remove" as const, name })),
    ...wanted
      .filter((zone) => !served.includes(zone.name) || !isLoaded(zone))
      .map((zone) => ({ kind: served.includes(zone.name) ? ("reload" as const) : ("add" as const), zone })),
  ];
}
