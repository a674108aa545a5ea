import { captureLimits } from "@portcullis/contract/subsystems/captures";
import { Problem } from "@portcullis/contract/problem";
import { capture, dissection, filterCheck, filterLinkOf, type Shown } from "../../engines/tcpdump/tcpdump.render.ts";
import { renderPcapStart } from "../../engines/tcpdump/pcap.render.ts";
import type { Recording, RecordingRequest } from "../../subsystems/captures/recording.ts";
import { endLeftovers, runStreamed, startStreamed } from "../../system/streamed.ts";
import type { System } from "../../system/system.ts";
import { unnamedFile } from "../../system/unnamed-file.ts";
import { type Recorded, recordPackets } from "./recording.ts";
import { readPcapng, readSummaries } from "./packets.ts";

interface Needs {
  readonly system: System;
  readonly stateFolder: string;
  readonly runFolder: string;
  /** Whether a packet must not be recorded; undefined: all may be. */
  readonly withheld: () => ((data: Buffer, linkType: number) => boolean) | undefined;
  readonly nowMs: () => number;
}

/** Starts the programs of captures. None of them outlives the daemon, and no file does: a capture has no name on the disk. */
export function openCapturesPlane({ system, stateFolder, runFolder, withheld, nowMs }: Needs) {
  const mark = `PORTCULLIS_CAPTURE=${runFolder}/`;
  endLeftovers(mark);
  const shown = shownFiles(system);

  /** What the compiler reports about a filter; undefined: it compiles. */
  async function checkFilter(device: string, filter: string): Promise<string | undefined> {
    const hardware = Number(system.readText(`/sys/class/net/${device}/type`) ?? "1");
    const { command, args, files } = filterCheck(filter, filterLinkOf(hardware), shown);
    const run = await runStreamed(startStreamed(command, args, { mark, files }), { limitMs: checkMs });
    if (run.isLate) return `it is not compiled within ${checkMs / 1000} seconds`;
    if (run.code === 0) return undefined;
    return lastLine(run.complaint);
  }

  async function record(request: RecordingRequest): Promise<Recording> {
    const file = await unnamedFile(stateFolder);
    const { command, args, files } = capture(request.interface, request.filter, shown);
    const program = startStreamed(command, args, { mark, files });
    const late = setTimeout(program.end, startMs);
    let recorded: Recorded;
    try {
      recorded = await recordPackets({ request, maxBytes: captureLimits.bytes, program, file, withheld, nowMs });
    } catch (error) {
      await file.close();
      throw new Problem(
        "engine_failed",
        { engine: "tcpdump", reason: (error as Error).message },
        { message: `tcpdump cannot record ${request.interface}: ${(error as Error).message}` },
      );
    } finally {
      clearTimeout(late);
    }
    const source = { recorded, file };
    const { state, changed, stop, abort, header, startOf } = recorded;
    return {
      state,
      changed,
      stop,
      summaries: (after, limit) => readSummaries(source, after, limit),
      file: () => readPcapng(source, request.interface, request.filter),
      details: async (number) => {
        if (number < 1 || number > state().packets) return undefined;
        const packet = await file.read(startOf(number), startOf(number + 1) - startOf(number));
        return dissected(Buffer.concat([renderPcapStart(header), packet]));
      },
      close: async () => {
        await abort();
        await file.close();
      },
    };
  }

  async function dissected(input: Buffer): Promise<string> {
    const { command, args, files } = dissection(shown);
    const run = await runStreamed(startStreamed(command, args, { mark, files, input }), {
      limitMs: dissectionMs,
      keptBytes: dissectionBytes,
    });
    if (run.code === 0) return run.output;
    const reason = run.isLate ? `it takes more than ${dissectionMs / 1000} seconds` : lastLine(run.complaint);
    throw new Problem("engine_failed", { engine: "tshark", reason }, { message: `tshark: ${reason}` });
  }

  return { checkFilter, record };
}

/** Names of ports and protocols in filters. */
function shownFiles(system: Pick<System, "list">): Shown {
  const names = system.list("/etc").filter((name) => name === "services" || name === "protocols");
  return Object.fromEntries(names.map((name) => [`/etc/${name}`, `/etc/${name}`]));
}

const checkMs = 10_000;
const startMs = 10_000;
const dissectionMs = 20_000;
const dissectionBytes = 256 << 10;

const lastLine = (complaint: string): string =>
  complaint
    .trim()
    .split("\n")
    .at(-1)!
    .replace(/^(?:tcpdump|tshark): /, "")
    .trim() || "it ended without a message";
