import { hash, randomInt, timingSafeEqual } from "node:crypto";

/** The file from which root can read the code. */
export interface CodeFile {
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

interface Needs {
  readonly file: CodeFile;
  /** Whether the gateway has an admin already: an account, or a key of that role. */
  readonly isClaimed: () => boolean;
}

/** Crockford's base 32: no letters that are easily confused with digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Twelve characters are 60 bits. */
const form = /^(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/;

/**
 * The one-time code for the first admin account. It is generated at the start of a gateway without an admin, kept across
 * restarts, and deleted as soon as an admin account or key exists, however it was created.
 */
export function openSetupCode({ file, isClaimed }: Needs) {
  let code = isClaimed() ? undefined : kept(file);
  if (code === undefined) file.remove();

  function review(): void {
    if (code === undefined || !isClaimed()) return;
    code = undefined;
    file.remove();
  }
  return {
    /** The code, while it is valid. */
    current: (): string | undefined => {
      review();
      return code;
    },
    /** In constant time. */
    matches: (given: string): boolean => {
      review();
      return code !== undefined && timingSafeEqual(digest(given), digest(code));
    },
    /** To be called when an admin may have been created. */
    review,
  };
}
export type SetupCode = ReturnType<typeof openSetupCode>;

function kept(file: CodeFile): string {
  const found = file.read()?.trim();
  if (found !== undefined && form.test(found)) return found;
  const made = makeCode();
  file.write(`${made}\n`);
  return made;
}

function makeCode(): string {
  const letters = Array.from({ length: 12 }, () => alphabet[randomInt(alphabet.length)]!);
  return [0, 4, 8].map((from) => letters.slice(from, from + 4).join("")).join("-");
}

/** Accepts codes without hyphens, in lower case, and with O for 0 or I and L for 1. */
const digest = (text: string): Buffer =>
  hash(
    "sha256",
    text
      .toUpperCase()
      .replaceAll(/[^0-9A-Z]/g, "")
      .replaceAll("O", "0")
      .replaceAll(/[IL]/g, "1"),
    "buffer",
  );
