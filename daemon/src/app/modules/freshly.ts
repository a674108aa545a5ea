/** Refreshes the observed state before each handler, except for the given ones. */
export function freshly<H extends object>(refresh: () => Promise<void>, handlers: H, ...others: (keyof H)[]): H {
  const fresh = Object.entries(handlers)
    .filter(([name]) => !others.includes(name as keyof H))
    .map(([name, handle]: [string, (...given: never[]) => unknown]) => [
      name,
      async (...given: never[]) => {
        await refresh();
        return handle(...given);
      },
    ]);
  return { ...handlers, ...Object.fromEntries(fresh) } as H;
}
