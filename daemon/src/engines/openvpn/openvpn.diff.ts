import type { ChildChange } from "../keeper/keeper.diff.ts";
import type { Child, Kept } from "../keeper/keeper.model.ts";
import type { Status } from "./management.parse.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";
import { renderClient } from "./openvpn.render.ts";

export interface Seen {
  readonly interfaces: ReadonlySet<string>;
  /** Those of ours that somebody has taken down. */
  readonly lowered: ReadonlySet<string>;
  readonly kept: readonly Kept[];
  /** Of clients that run, by their interface. */
  readonly talks: ReadonlyMap<string, Heard>;
}

export interface Heard {
  readonly status: Status;
  readonly isReleaseDue: boolean;
  /** Whether it was told, by us and since it started, what it should not know any more. */
  readonly hasOutdated: (credentials: OpenvpnClient["credentials"]) => boolean;
}

export type Change =
  | { readonly kind: "child"; readonly change: ChildChange }
  /** It runs, and yet is of no use; why is for a person. */
  | { readonly kind: "replace"; readonly child: Child; readonly reason: string }
  | {
      readonly kind: "answer";
      readonly interface: string;
      readonly credentials: NonNullable<OpenvpnClient["credentials"]>;
    }
  | { readonly kind: "release"; readonly interface: string }
  | { readonly kind: "raise"; readonly interface: string };

export const childName = (name: string): string => `openvpn.${name}`;
export const interfaceOf = (child: string): string => child.slice("openvpn.".length);

export const childFor = (client: OpenvpnClient, folder: string): Child => ({
  name: childName(client.interface),
  command: "openvpn",
  args: ["--config", "stdin"],
  stdin: renderClient(client, socketOf(client.interface, folder)),
});

export const socketOf = (name: string, folder: string): string => `${folder}/${name}.sock`;

/** `children` compares what runs with what should; the rest is about those that run as they should and yet need something. */
export function openvpnChanges(
  desired: readonly OpenvpnClient[],
  seen: Seen,
  { folder, children }: { folder: string; children: (wanted: readonly Child[]) => readonly ChildChange[] },
): Change[] {
  const startable = desired.filter((client) => !isForeign(client.interface, seen));
  const changes = children(startable.map((client) => childFor(client, folder)));
  const touched = new Set(changes.map((change) => (change.kind === "end" ? change.name : change.child.name)));
  return [
    ...changes.map((change) => ({ kind: "child" as const, change })),
    ...startable
      .filter((client) => !touched.has(childName(client.interface)))
      .flatMap((client) => needsOf(client, seen, folder)),
  ];
}

function needsOf(client: OpenvpnClient, { interfaces, lowered, talks }: Seen, folder: string): Change[] {
  const heard = talks.get(client.interface);
  if (!heard) return [];
  const { status, isReleaseDue } = heard;
  const { credentials } = client;
  const replace = (reason: string): Change[] => [{ kind: "replace", child: childFor(client, folder), reason }];
  if (heard.hasOutdated(credentials)) return replace("name or password are others now");
  // It would go on for ever with an interface that is no more.
  if (status.state === "CONNECTED" && !interfaces.has(client.interface)) return replace("its interface has vanished");
  if (status.state === "CONNECTED" && lowered.has(client.interface))
    return [{ kind: "raise", interface: client.interface }];
  if (status.question === "Auth" && credentials) return [{ kind: "answer", interface: client.interface, credentials }];
  return isReleaseDue ? [{ kind: "release", interface: client.interface }] : [];
}

/** Its interface ends with it: one that is there while it does not run is somebody else's. */
export const isForeign = (name: string, { interfaces, kept }: Seen): boolean =>
  interfaces.has(name) && !kept.some((it) => it.name === childName(name) && it.condition.kind === "running");
