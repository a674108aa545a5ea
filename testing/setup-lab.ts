import "./setup.ts";
import { currentSlowness } from "./deadline.ts";

/** Loaded before each file that drives real engines: its deadlines start from the slowness of this moment. */
await currentSlowness();
