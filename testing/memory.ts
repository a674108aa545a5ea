import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap that are reachable. */
export function heapAfterCollection(): number {
  collect();
  collect(); // The second round collects what finalizers of the first released.
  return process.memoryUsage().heapUsed;
}
