import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How a load can fail, each with real effects. */
const faults = {
  /** The kernel refuses the transaction: it ends with a table that exists already. */
  refused: '{ cat; echo; echo "create table inet portcullis_guard"; } | "$real" "$@"; exit $?',
  /** nft fails before it sends anything to the kernel. */
  mute: "exit 1",
  /** The kernel takes everything, and nft fails nevertheless. */
  "loaded but denied": '"$real" "$@"; exit 1',
} as const;
export type Fault = keyof typeof faults;
export const allFaults = Object.keys(faults) as Fault[];

/** A folder with an nft that works like nft, except for loads while a fault is set. */
export function faultyNft(parent: string): {
  readonly path: string;
  fail(fault: Fault): void;
  /** Loads succeed, but take so long. */
  delay(seconds: number): void;
  work(): void;
} {
  const path = join(parent, "programs");
  const fault = join(path, "fault");
  mkdirSync(path);
  const real = execFileSync("sh", ["-c", "command -v nft"], { encoding: "utf8" }).trim();
  const program = `#!/bin/sh
real=${real}
case " $* " in *" -f "*) if [ -e ${fault} ]; then . ${fault}; fi ;; esac
exec "$real" "$@"
`;
  writeFileSync(join(path, "nft"), program);
  chmodSync(join(path, "nft"), 0o755);
  return {
    path,
    fail: (kind) => writeFileSync(fault, faults[kind]),
    delay: (seconds) => writeFileSync(fault, `sleep ${seconds}`),
    work: () => rmSync(fault, { force: true }),
  };
}
