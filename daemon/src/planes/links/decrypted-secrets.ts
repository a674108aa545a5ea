/** Secrets of carriers, opened once and forgotten when nobody names them any more. They never leave this memory. */
export function decryptedSecrets(reveal: (id: string, version: number) => Promise<string>) {
  const decrypted = new Map<string, string>();
  return async (keys: readonly string[]): Promise<Record<string, string>> => {
    for (const key of decrypted.keys()) if (!keys.includes(key)) decrypted.delete(key);
    const missing = [...new Set(keys)].filter((key) => !decrypted.has(key));
    // Together: each takes a while by design, and a hundred one after another would be seconds without a tunnel.
    await Promise.all(
      missing.map(async (key) => {
        const [id = "", version] = key.split(" ");
        // What cannot be opened is as good as not there; the vault says so itself.
        const value = await reveal(id, Number(version)).catch(() => undefined);
        if (value !== undefined) decrypted.set(key, value);
      }),
    );
    return Object.fromEntries(decrypted);
  };
}
