import { describe, expect, test } from "vitest";
import { type Found, reconcile, type Reconciled } from "./passphrase.ts";

const generated = "freshly generated";
const modes = [undefined, "generated", "user", "off"] as const;

/** `obeyed`: the passphrase the rows open under; nothing when there are no rows, and any will do. */
async function reconciled(found: Found, obeyed?: string): Promise<Reconciled & { tried: string[] }> {
  const tried: string[] = [];
  const opens = async (passphrase: string) => {
    tried.push(passphrase);
    return obeyed === undefined || passphrase === obeyed;
  };
  return { ...(await reconcile(found, opens, () => generated)), tried };
}

const ready = (passphrase: string, mode: Found["mode"]) => ({
  kind: "ready",
  passphrase,
  mode: mode ?? "generated",
});

describe.each(modes)("passphrase: mode %s", (mode) => {
  const both = { stored: "one", file: "one", mode };
  const off = mode === "off";

  test("one place suffices, and an empty one is as good as none", async () => {
    for (const found of [
      both,
      { ...both, file: undefined },
      { ...both, stored: undefined },
      { ...both, file: "" },
      { ...both, stored: "" },
    ])
      expect(await reconciled(found)).toMatchObject(off ? { kind: "plain" } : ready("one", mode));
  });

  test("with both gone, only the operator's own passphrase cannot be made anew", async () => {
    const wanted = { off: { kind: "plain" }, user: { kind: "locked" } } as Record<string, object>;
    for (const empty of [undefined, ""])
      expect(await reconciled({ stored: empty, file: empty, mode })).toMatchObject(
        wanted[mode ?? ""] ?? ready(generated, mode),
      );
  });

  const differing = { stored: "in the settings", file: "in the file", mode };
  test.each([
    ["the rows obey the settings", "in the settings", "in the settings"],
    ["the rows obey the file", "in the file", "in the file"],
    ["the rows obey neither", "something else", "in the settings"],
    ["there are no rows", undefined, "in the settings"],
  ])("where both differ and %s", async (_, obeyed, chosen) =>
    expect(await reconciled(differing, obeyed)).toMatchObject(off ? { kind: "plain" } : ready(chosen, mode)),
  );

  test("rows are decrypted only if the locations differ, because key derivation is slow", async () => {
    expect((await reconciled(both, "another")).tried).toEqual([]);
    expect((await reconciled({ ...both, file: undefined }, "another")).tried).toEqual([]);
    expect((await reconciled(differing, "in the settings")).tried).toEqual(off ? [] : ["in the settings"]);
  });
});
