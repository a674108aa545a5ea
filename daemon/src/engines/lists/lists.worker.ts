import { serveWorkerTask } from "../../system/worker.ts";
import { perform } from "./tasks.ts";

/** A thread of its own: built as a file of its own, and started by lists.engine.ts. */
await serveWorkerTask(perform);
