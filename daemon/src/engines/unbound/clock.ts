import { requestLoopback } from "../../system/socket-request.ts";
import type { System } from "../../system/system.ts";
import { ignoresDates } from "./clock.model.ts";
import { parseDates, soaQuery } from "./dates.parse.ts";

interface Needs {
  readonly system: System;
  /** Whom validators ask. They themselves would rather repeat what they once found true than say what is wrong now. */
  readonly ports: () => readonly number[];
  readonly nowMs: () => number;
  readonly query?: typeof requestLoopback;
}

/** Looks once, and answers whether dates of signatures are to be ignored from now on. */
export type ClockProbe = (before: boolean) => Promise<boolean>;

/** Any port will do: the root gives every client the same answer. The first answer counts. */
export function clockProbe({ system, ports, nowMs, query = requestLoopback }: Needs): ClockProbe {
  async function signatures() {
    for (const port of ports()) {
      const id = Math.floor(Math.random() * 0x1_0000);
      const answer = await query(port, soaQuery(id), answerMs).catch(() => new Uint8Array());
      const found = parseDates(answer, id);
      if (found.length > 0) return found;
    }
    return [];
  }
  return async (before) => {
    const isSynchronised = await isClockSynchronised(system);
    return ignoresDates({
      signatures: isSynchronised ? [] : await signatures(),
      nowSec: Math.floor(nowMs() / 1000),
      isSynchronised,
      ignoresDates: before,
    });
  };
}

/**
 * Whether the kernel's clock is synchronized. Only a system call reports it, and Node offers none: Perl,
 * which every Debian has, does. Where that says nothing, systemd's own time service leaves a file.
 */
export async function isClockSynchronised(system: System): Promise<boolean> {
  if (system.list("/run/systemd/timesync").includes("synchronized")) return true;
  const said = await system.run("perl", ["-e", askKernel], { timeoutMs: 5000 }).catch(() => "");
  return /^[0-4]$/.test(said);
}

/** adjtimex(2), changing nothing: 5 means not synchronized, less than 0 that the call failed. */
const askKernel = `use POSIX ();
my %number = (x86_64 => 159, aarch64 => 171, riscv64 => 171, armv7l => 124, i686 => 124);
my $machine = (POSIX::uname())[4];
my $buffer = "\\0" x 256;
print exists $number{$machine} ? syscall($number{$machine}, $buffer) : -1;`;

const answerMs = 5000;
