import { Problem } from "@portcullis/contract/problem";

/** Runs tasks, and refuses one while the limit of them runs: each is a program that takes memory and a processor for seconds. */
export function atMostAtOnce(limit: number, of: string): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  return async (task) => {
    if (running >= limit)
      throw new Problem("limit_reached", { limit, of }, { message: `${limit} ${of} run; try again in some seconds` });
    running += 1;
    try {
      return await task();
    } finally {
      running -= 1;
    }
  };
}
