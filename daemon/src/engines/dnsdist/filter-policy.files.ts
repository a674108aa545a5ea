import type { System } from "../../system/system.ts";
import { writeUint32 } from "./cdb.render.ts";

/** The files that all resolvers have mapped. They are read only there, and belong to us. */
export interface FilterPolicyFiles {
  /**
   * Puts what is given in force, all of it at once; what is not given stays. Every resolver sees it with its next
   * question, and none stops answering meanwhile.
   */
  readonly write: (files: NewFiles) => Promise<void>;
  /** The lists in force, for whoever looks a name up. */
  readonly readLists: () => Uint8Array<ArrayBuffer> | undefined;
}

export interface NewFiles {
  /** Of `renderBook`. */
  readonly policy?: Uint8Array;
  /** Of `renderLists` or a `ListsDraft`. */
  readonly lists?: Uint8Array;
  readonly isFiltering: boolean;
}

/** A page. A resolver that has it mapped would die of a shorter one. */
const stateBytes = 4096;
const generationAt = 0;
const flagsAt = 4;
const filteringFlag = 1;
/** They are read by users of their own, each of which sees no other folder of ours. */
const mode = 0o644;

export function filterPolicyFiles(system: System, folder: string): FilterPolicyFiles {
  const paths = { book: `${folder}/book.cdb`, lists: `${folder}/lists.cdb`, state: `${folder}/state` };
  let turn = Promise.resolve();

  async function write({ policy, lists, isFiltering }: NewFiles): Promise<void> {
    system.makeFolder(folder, 0o755);
    if (policy) await system.writeBytes(paths.book, policy, mode);
    if (lists) await system.writeBytes(paths.lists, lists, mode);
    const known = system.readBytes(paths.state);
    if (!known) await system.writeBytes(paths.state, new Uint8Array(stateBytes), mode);
    else if (known.length < stateBytes) {
      system.overwrite(paths.state, known.length, new Uint8Array(stateBytes - known.length));
    }
    system.overwrite(paths.state, flagsAt, word(isFiltering ? filteringFlag : 0));
    // Last: whoever sees another generation opens the files anew.
    system.overwrite(paths.state, generationAt, word(generationOf(known) + 1));
  }

  return {
    write: (files) => {
      const mine = turn.then(() => write(files));
      turn = mine.catch(() => {}); // Whoever asked for it hears of it; the next one tries for itself.
      return mine;
    },
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
