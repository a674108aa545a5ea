import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

export const hostilities = ["malformed", "loops", "edns", "random", "types", "tcp"] as const;
export type Hostility = (typeof hostilities)[number];

/** A hostile DNS client. Its answers are how many packets of each kind were sent. */
export interface Hostile {
  readonly report: () => Promise<Readonly<Partial<Record<Hostility, number>>>>;
  readonly stop: () => Promise<Readonly<Partial<Record<Hostility, number>>>>;
}

interface Options {
  readonly server: string;
  /** Packets a second; 0: as many as there can be. */
  readonly rate: number;
  readonly seed: string;
  readonly kinds: readonly Hostility[];
}

export async function startHostile(host: Host, { server, rate, seed, kinds }: Options): Promise<Hostile> {
  const script = await startJsonScript(host, "hostile.py", server, String(rate), seed, ...kinds);
  const tell = (word: string) => script.request(word) as ReturnType<Hostile["report"]>;
  return { report: () => tell("report"), stop: () => tell("stop") };
}
