import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap that are really in use. */
export function heapAfterCollection(): number {
  collect();
  collect(); // What a finaliser let go of in the first round is collected in the second.
  return process.memoryUsage().heapUsed;
}
