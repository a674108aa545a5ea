import { afterEach, beforeEach } from "vitest";
import { judgeDeadlines, nameTest } from "./deadline.ts";
import { boundProperties } from "./seed.ts";

/** Loaded before each test file. */
boundProperties();
beforeEach(({ task }) => nameTest(task.name));
afterEach(({ task }) => judgeDeadlines(task.result?.state === "fail"));
