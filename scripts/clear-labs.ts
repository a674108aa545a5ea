import { clearLeftLabs } from "../lab/leftovers.ts";

const cleared = clearLeftLabs();
console.log(cleared.length === 0 ? "Nobody has left a lab behind." : `Cleared: ${cleared.join(", ")}`);
