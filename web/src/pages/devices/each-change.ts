/** The changes that were made, and the problem at which the rest was left. */
interface Sent<C> {
  readonly done: readonly C[];
  readonly problem?: Error;
}

/** One after the other, until one fails: those before it are made, and can be undone. */
export async function sendEach<C>(changes: readonly C[], send: (change: C) => Promise<unknown>): Promise<Sent<C>> {
  const done: C[] = [];
  try {
    for (const change of changes) {
      await send(change);
      done.push(change);
    }
    return { done };
  } catch (problem) {
    return { done, problem: problem as Error };
  }
}
