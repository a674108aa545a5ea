import { createDecipheriv, pbkdf2 } from "node:crypto";
import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { promisify } from "node:util";
import { temporaryFolder } from "./folder.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

type Options = Omit<NonNullable<Parameters<typeof startGateway>[0]>, "folder">;

/** A state folder that is kept between gateways, so that a test can read and change it while none runs. */
export interface LastingState {
  readonly stateFolder: string;
  start(): Promise<TestGateway>;
  [Symbol.dispose](): void;
}

export function lastingState(options: Options = {}): LastingState {
  const folder = temporaryFolder();
  return {
    stateFolder: join(folder.path, "state"),
    start: () => startGateway({ ...options, folder: { path: folder.path, [Symbol.dispose]: () => {} } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The state folder, read without the daemon's code. */
export interface StateOnDisk {
  /** Result of SQLite's integrity check; "ok" if intact. */
  readonly integrity: string;
  /** Resources whose staged body is not the published one. */
  readonly unpublished: readonly string[];
  readonly values: readonly {
    readonly secret_id: string;
    readonly version: number;
    readonly form: string;
    readonly value: string;
  }[];
  readonly passphrase: string | undefined;
  readonly mode: string | undefined;
  readonly file: string | undefined;
  readonly fileMode: number | undefined;
}

const fallback = (stateFolder: string): string => join(stateFolder, "secrets.passphrase");

/**
 * Reads a copy: opening the database itself would replay and remove the write-ahead log of a killed daemon, and the
 * daemon's own recovery would not be tested.
 */
export function readState(stateFolder: string): StateOnDisk {
  using copy = temporaryFolder();
  for (const name of ["portcullis.db", "portcullis.db-wal"])
    if (existsSync(join(stateFolder, name))) cpSync(join(stateFolder, name), join(copy.path, name));
  using database = new DatabaseSync(join(copy.path, "portcullis.db"));
  const setting = (key: string) => database.prepare("SELECT value FROM setting WHERE key = ?").get(key)?.["value"];
  const path = fallback(stateFolder);
  return {
    integrity: String(database.prepare("PRAGMA integrity_check").get()!["integrity_check"]),
    unpublished: database
      .prepare(unpublished)
      .all()
      .map(({ kind, id }) => `${kind as string} ${id as string}`),
    values: database
      .prepare("SELECT * FROM sealed_value ORDER BY secret_id, version")
      .all()
      .map((row) => ({ ...row })) as unknown as StateOnDisk["values"],
    passphrase: setting("secrets_passphrase") as string | undefined,
    mode: setting("secrets_mode") as string | undefined,
    file: existsSync(path) ? readFileSync(path, "utf8") : undefined,
    fileMode: statSync(path, { throwIfNoEntry: false })?.mode,
  };
}

/** For kinds that publish with each change. The daemon answers from memory, so its API would not show a difference. */
const unpublished = `
  WITH wanted AS (SELECT kind, id, body, digest FROM staged WHERE kind <> 'profile'),
       published AS (SELECT kind, id, body, digest FROM version WHERE kind <> 'profile' AND until IS NULL)
  SELECT kind, id FROM (SELECT * FROM wanted EXCEPT SELECT * FROM published)
  UNION SELECT kind, id FROM (SELECT * FROM published EXCEPT SELECT * FROM wanted)`;

/** Changes the database while no daemon runs. Returns the number of changed rows. */
export function editState(stateFolder: string, sql: string, ...values: SQLInputValue[]): number {
  using database = new DatabaseSync(join(stateFolder, "portcullis.db"));
  database.exec("PRAGMA secure_delete = ON"); // Deleted values must not remain in the file.
  return Number(database.prepare(sql).run(...values).changes);
}

const derive = promisify(pbkdf2);

/** Opens `enc:` + base64(salt 16, nonce 12, ciphertext, tag 16) with Node's crypto alone. Rejects if the tag does not match. */
export async function unseal(passphrase: string, sealed: string): Promise<string> {
  const bytes = Buffer.from(sealed.replace(/^enc:/, ""), "base64");
  const key = await derive(passphrase, bytes.subarray(0, 16), 100_000, 32, "sha256");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(16, 28)).setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(28, -16), undefined, "utf8") + decipher.final("utf8");
}
