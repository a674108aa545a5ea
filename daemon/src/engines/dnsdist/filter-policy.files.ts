import { serial } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import { writeUint32 } from "./cdb.render.ts";

/** The files that all resolvers have mapped, read-only. */
export interface FilterPolicyFiles {
  /**
   * Applies the given files atomically; the others stay. Every resolver sees them with its next
   * query, without an interruption.
   */
  readonly write: (files: NewFiles) => Promise<void>;
  /** The current lists, for lookups. */
  readonly readLists: () => Uint8Array<ArrayBuffer> | undefined;
}

export interface NewFiles {
  /** Of `renderFilterPolicy`. */
  readonly policy?: Uint8Array;
  /** Of `renderLists` or a `ListsDraft`. */
  readonly lists?: Uint8Array;
  readonly isFiltering: boolean;
}

/** One page. A shorter file would crash a resolver that has it mapped. */
const stateBytes = 4096;
const generationAt = 0;
const flagsAt = 4;
const filteringFlag = 1;
/** Read by the users of the resolvers, whose sandboxes show no other folder of ours. */
const mode = 0o644;

export function filterPolicyFiles(system: System, folder: string): FilterPolicyFiles {
  const paths = { policy: `${folder}/policy.cdb`, lists: `${folder}/lists.cdb`, state: `${folder}/state` };
  const inTurn = serial();

  async function write({ policy, lists, isFiltering }: NewFiles): Promise<void> {
    system.makeFolder(folder, 0o755);
    if (policy) await system.writeBytes(paths.policy, policy, mode);
    if (lists) await system.writeBytes(paths.lists, lists, mode);
    const known = system.readBytes(paths.state);
    if (!known) await system.writeBytes(paths.state, new Uint8Array(stateBytes), mode);
    else if (known.length < stateBytes) {
      system.overwrite(paths.state, known.length, new Uint8Array(stateBytes - known.length));
    }
    system.overwrite(paths.state, flagsAt, word(isFiltering ? filteringFlag : 0));
    // Last: a resolver that sees another generation opens the files again.
    system.overwrite(paths.state, generationAt, word(generationOf(known) + 1));
  }

  return {
    write: (files) => inTurn(() => write(files)),
    readLists: () => system.readBytes(paths.lists),
  };
}

const generationOf = (state: Uint8Array<ArrayBuffer> | undefined): number =>
  state && state.length >= 4 ? new DataView(state.buffer, state.byteOffset).getUint32(generationAt, true) : 0;

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeUint32(bytes, 0, value);
  return bytes;
}
