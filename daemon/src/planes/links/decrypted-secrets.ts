/** Decrypts each secret of a link once, and keeps it in memory until no link uses it any more. */
export function decryptedSecrets(reveal: (id: string, version: number) => Promise<string>) {
  const decrypted = new Map<string, string>();
  return async (keys: readonly string[]): Promise<Record<string, string>> => {
    for (const key of decrypted.keys()) if (!keys.includes(key)) decrypted.delete(key);
    const missing = [...new Set(keys)].filter((key) => !decrypted.has(key));
    // In parallel: each is slow by design, and a hundred in sequence would delay tunnels for seconds.
    await Promise.all(
      missing.map(async (key) => {
        const [id = "", version] = key.split(" ");
        // One that cannot be decrypted is missing; the vault reports the error.
        const value = await reveal(id, Number(version)).catch(() => undefined);
        if (value !== undefined) decrypted.set(key, value);
      }),
    );
    return Object.fromEntries(decrypted);
  };
}
