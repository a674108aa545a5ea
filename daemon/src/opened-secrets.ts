/** Secrets of carriers, opened once and forgotten when nobody names them any more. They never leave this memory. */
export function openedSecrets(reveal: (id: string, version: number) => Promise<string>) {
  const opened = new Map<string, string>();
  return async (keys: readonly string[]): Promise<Record<string, string>> => {
    for (const key of opened.keys()) if (!keys.includes(key)) opened.delete(key);
    for (const key of keys) {
      if (opened.has(key)) continue;
      const [id = "", version] = key.split(" ");
      // What cannot be opened is as good as not there; the vault says so itself.
      await reveal(id, Number(version)).then(
        (value) => opened.set(key, value),
        () => {},
      );
    }
    return Object.fromEntries(opened);
  };
}
