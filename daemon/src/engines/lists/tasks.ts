import { type BuildAnswer, type BuildTask, buildLists } from "./build.ts";
import { type ReadAnswer, type ReadTask, readList } from "./fetch.ts";

/** Long tasks, done in a worker. */
export type Task = ReadTask | BuildTask;

export type AnswerTo<T extends Task> = T extends ReadTask ? ReadAnswer : BuildAnswer;

export async function perform(task: Task): Promise<ReadAnswer | BuildAnswer> {
  return task.kind === "read" ? readList(task) : buildLists(task);
}
