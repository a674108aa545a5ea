import { clearLeftLabs } from "../lab/leftovers.ts";

const cleared = clearLeftLabs();
console.log(cleared.length === 0 ? "No lab was left behind." : `Cleared: ${cleared.join(", ")}`);
