import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { PublishedSegment, Segment, segments } from "@portcullis/contract/subsystems/segments";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { nameKey } from "../lookup.ts";
import { refuseField } from "../resources.ts";

type Update = InputOf<typeof segments.update>["body"];

interface Needs {
  readonly ledger: Ledger;
  /** LAN interfaces. */
  readonly lan: () => readonly string[];
  /** The interfaces of the machine. */
  readonly read: () => Promise<readonly SegmentLink[]>;
}

interface SegmentLink {
  readonly name: string;
  readonly up: boolean;
  readonly addresses?: readonly string[];
  readonly networks?: readonly string[];
}

export type SegmentService = ReturnType<typeof segmentService>;

/** One segment per LAN interface: those of the bootstrap file, and VLANs. */
export function segmentService({ ledger, lan, read }: Needs) {
  const collection = ledger.staged<PublishedSegment>("segment");
  const stored = (name: string): PublishedSegment => collection.get(name) ?? { id: name, name, reaches: [] };
  const nameOf = (name: string): string => stored(name).name;

  /** The interface of a segment, by its name or interface. */
  const findInterface = (text: string): string | undefined =>
    lan().find((it) => it === text) ?? lan().find((it) => nameKey(nameOf(it)) === nameKey(text));

  function interfaceOf(text: string): string {
    const found = findInterface(text);
    if (found !== undefined) return found;
    const message = `No segment has this name or interface. Segments: ${described(lan())}`;
    throw new Problem("not_found", { id: text }, { message });
  }

  const described = (names: readonly string[]): string =>
    names.map((it) => (nameOf(it) === it ? it : `${nameOf(it)} (${it})`)).join(", ") || "none";

  function reachedBy(from: string, texts: readonly string[]): string[] {
    const others = lan().filter((it) => it !== from);
    const found = texts.map((text) => {
      const to = findInterface(text);
      if (to === undefined || to === from)
        refuseField("reaches", `must name other segments: ${described(others)}; not ${text}`);
      return to!;
    });
    return others.filter((it) => found.includes(it));
  }

  function refuseTaken(from: string, name: string): void {
    // Also an interface: a segment is found by either.
    const taken = findInterface(name);
    if (taken !== undefined && taken !== from)
      throw new Problem("conflict", { name }, { message: `Another segment is called ${name}` });
  }

  async function list(): Promise<Segment[]> {
    const links = await read();
    return lan().map((it) => {
      const { name, reaches } = stored(it);
      const link = links.find((one) => one.name === it);
      return {
        interface: it,
        name,
        // The configuration may have lost an interface since.
        reaches: reaches.filter((to) => lan().includes(to)).map(nameOf),
        up: link?.up ?? false,
        addresses: [...(link?.addresses ?? [])],
        networks: [...(link?.networks ?? [])],
      };
    });
  }

  const get = async (text: string): Promise<Segment> => {
    const name = interfaceOf(text);
    return (await list()).find((it) => it.interface === name)!;
  };

  return {
    list,
    get,
    update: (cause: Cause, text: string, { name, reaches }: Update): string => {
      const from = interfaceOf(text);
      if (name !== undefined) refuseTaken(from, name);
      const before = stored(from);
      const wanted: PublishedSegment = {
        id: from,
        name: name ?? before.name,
        reaches: reaches === undefined ? before.reaches : reachedBy(from, reaches),
      };
      ledger.change(cause, (draft) => draft.put("segment", wanted));
      return from;
    },
  };
}
