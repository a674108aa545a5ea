import { randomUUID } from "node:crypto";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { Announce } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";
import {
  type Capture,
  type CaptureDetail,
  captureLimits,
  type captures,
} from "@portcullis/contract/subsystems/captures";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { requireWord } from "../lookup.ts";
import { atMostAtOnce } from "./at-once.ts";
import type { Recording, RecordingRequest } from "./recording.ts";
import { type CaptureInterface, showsDevices } from "./visible-devices.ts";

type Body = InputOf<typeof captures.start>["body"];

interface Needs {
  readonly ledger: Pick<Ledger, "change">;
  readonly interfaces: () => Promise<readonly CaptureInterface[]>;
  /** Programs that are not installed, of those that are needed. */
  readonly missing: (programs: readonly string[]) => readonly string[];
  /** What the compiler reports about a filter; undefined: it compiles. */
  readonly checkFilter: (device: string, filter: string) => Promise<string | undefined>;
  readonly record: (request: RecordingRequest) => Promise<Recording>;
  readonly freeBytes: () => number;
  /** Whether there are devices whose log level is none. */
  readonly hasUnlogged: () => boolean;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

interface Session {
  readonly id: string;
  readonly request: RecordingRequest;
  readonly startedAt: string;
  /** Whether the interface shows which device a packet is of. */
  readonly showsDevices: boolean;
  /** Once it is true it remains so: the packets are in the file. */
  mixed: boolean;
  readonly recording: Recording;
}

/** Captures of packets: their limits, and which are retained. They exist in this process only, and end with it. */
export function capturesService(needs: Needs) {
  const { ledger, interfaces, missing, checkFilter, record, freeBytes, hasUnlogged, announce, now, warn } = needs;
  /** Oldest first. */
  const sessions = new Map<string, Session>();
  let starting = 0;
  const compiling = atMostAtOnce(captureLimits.programs, "compilations of filters");
  const dissecting = atMostAtOnce(captureLimits.programs, "dissections of packets");

  const all = (): Session[] => [...sessions.values()];
  const isRunning = ({ recording }: Session): boolean => recording.state().end === undefined;

  /** The class of a device may change while a capture runs. */
  function noteUnlogged(session: Session): void {
    session.mixed ||= !session.showsDevices && hasUnlogged();
  }

  function stateOf(session: Session): Capture {
    if (isRunning(session)) noteUnlogged(session);
    return toCapture(session);
  }

  function find(id: string): Session {
    deleteOld();
    const session = sessions.get(id);
    if (!session) throw new Problem("not_found", { id }, { message: "There is no capture with this id" });
    return session;
  }

  function remove(session: Session): void {
    sessions.delete(session.id);
    session.recording.close().catch((error: unknown) => warn("A capture was not deleted", error));
  }

  function deleteOld(): void {
    for (const it of all()) {
      const { end } = it.recording.state();
      if (end && end.atMs + retainedMs <= now().getTime()) remove(it);
    }
  }

  /** Deletes the oldest captures until there is space for one more of the largest size. */
  function makeSpace(): void {
    const ended = all().filter((it) => !isRunning(it));
    const running = sessions.size - ended.length + starting;
    const storedBytes = () => ended.reduce((sum, { recording }) => sum + recording.state().bytes, 0);
    const isFull = () =>
      ended.length + running > captureLimits.retained ||
      storedBytes() + running * captureLimits.bytes > captureLimits.retainedBytes;
    while (isFull()) {
      const oldest = ended.shift();
      if (!oldest) return;
      remove(oldest);
    }
  }

  function refuseBeyondLimits({ count, durationSec }: RecordingRequest): void {
    const refuse = (limit: number, of: string, message: string) => {
      throw new Problem("limit_reached", { limit, of }, { message });
    };
    if (count > captureLimits.packets)
      refuse(captureLimits.packets, "packets of a capture", `A capture has at most ${captureLimits.packets} packets`);
    if (durationSec > captureLimits.durationSec)
      refuse(
        captureLimits.durationSec,
        "seconds of a capture",
        `A capture takes at most ${captureLimits.durationSec} s`,
      );
    const running = all().filter(isRunning).length + starting;
    if (running >= captureLimits.running)
      refuse(captureLimits.running, "running captures", `${running} captures are running; stop one of them first`);
    const needed = (running + 1) * captureLimits.bytes + spareBytes;
    if (freeBytes() < needed)
      refuse(needed, "free bytes on the disk", `A capture needs ${needed >> 20} MiB of free space on the disk`);
  }

  async function started(request: RecordingRequest): Promise<Recording> {
    refuseBeyondLimits(request);
    starting += 1;
    try {
      makeSpace();
      return await record(request);
    } finally {
      starting -= 1;
    }
  }

  async function start(body: Body, cause: Cause): Promise<Capture> {
    const known = await interfaces();
    const device = requireWord(
      "body.interface",
      body.interface,
      known.map(({ name }) => name),
    );
    const request = {
      interface: device,
      filter: body.filter?.trim() ?? "",
      count: body.count ?? captureLimits.packets,
      durationSec: body.duration_sec ?? captureLimits.durationSec,
    };
    refuseBeyondLimits(request);
    refuseMissing(missing(["tcpdump", ...sandboxPrograms]));
    await refuseFilter(device, request.filter);
    deleteOld();
    const recording = await started(request);
    const id = randomUUID();
    const session: Session = {
      id,
      request,
      startedAt: now().toISOString(),
      showsDevices: showsDevices(device, known),
      mixed: false,
      recording,
    };
    noteUnlogged(session);
    const { filter, count, durationSec } = request;
    try {
      ledger.change(cause, (draft) => draft.about(id, { interface: device, filter, count, duration_sec: durationSec }));
    } catch (error) {
      await recording.close();
      throw error;
    }
    sessions.set(id, session);
    announce("capture.started", { id, interface: device, filter });
    void reportEnd(session);
    return toCapture(session);
  }

  async function refuseFilter(device: string, filter: string): Promise<void> {
    const complaint = filter === "" ? undefined : await compiling(() => checkFilter(device, filter));
    if (complaint === undefined) return;
    const problem = `is not a filter: ${complaint}`;
    throw new Problem(
      "invalid_request",
      { fields: [{ field: "body.filter", problem }] },
      { message: `body.filter: ${problem}` },
    );
  }

  async function reportEnd(session: Session): Promise<void> {
    const { recording, id } = session;
    while (isRunning(session)) {
      await recording.changed(recording.state().packets, endCheckMs);
      // Also when it has ended: its last packets have arrived meanwhile.
      noteUnlogged(session);
    }
    const { end, packets } = recording.state();
    if (sessions.has(id))
      announce("capture.ended", { id, interface: session.request.interface, reason: end!.reason, packets });
  }

  const rounds = setInterval(deleteOld, roundMs);
  rounds.unref();

  return {
    list: (): Capture[] => {
      deleteOld();
      return all().toReversed().map(stateOf);
    },
    start,
    get: async (id: string, after: number, limit: number): Promise<CaptureDetail> => {
      const session = find(id);
      const summaries = await session.recording.summaries(after, limit);
      return { ...stateOf(session), summaries };
    },
    stop: async (id: string, cause: Cause): Promise<Capture> => {
      const session = find(id);
      if (isRunning(session)) {
        ledger.change(cause, (draft) => draft.about(id));
        noteUnlogged(session);
        await session.recording.stop();
      }
      return stateOf(session);
    },
    download: (id: string, cause: Cause): AsyncIterable<Uint8Array> => {
      const { recording } = find(id);
      ledger.change(cause, (draft) => draft.about(id, { packets: recording.state().packets }));
      return recording.file();
    },
    details: async (id: string, number: number): Promise<string> => {
      const { recording } = find(id);
      refuseMissing(missing(["tshark", ...sandboxPrograms]));
      const text = await dissecting(() => recording.details(number));
      if (text === undefined)
        throw new Problem("not_found", { number }, { message: "There is no packet with this number" });
      return text;
    },
    recording: (id: string) => {
      const session = find(id);
      return { recording: session.recording, capture: () => stateOf(session) };
    },
    close: async () => {
      clearInterval(rounds);
      const open = all();
      sessions.clear();
      await Promise.all(open.map(({ recording }) => recording.close()));
    },
  };
}
export type Captures = ReturnType<typeof capturesService>;

function toCapture({ id, request, startedAt, mixed, recording }: Session): Capture {
  const { packets, bytes, withheld, dropped, end } = recording.state();
  return {
    id,
    interface: request.interface,
    filter: request.filter,
    state: end === undefined ? "running" : end.reason === "failed" ? "failed" : "stopped",
    end_reason: end?.reason ?? null,
    failure: end?.failure ?? null,
    started_at: startedAt,
    ended_at: end ? new Date(end.atMs).toISOString() : null,
    expires_at: end ? new Date(end.atMs + retainedMs).toISOString() : null,
    count: request.count,
    duration_sec: request.durationSec,
    packets,
    bytes,
    dropped,
    withheld,
    mixed,
  };
}

function refuseMissing(programs: readonly string[]): void {
  const [program] = programs;
  if (program === undefined) return;
  const install = `apt install ${packages[program] ?? program}`;
  throw new Problem("engine_unavailable", { program, install }, { message: `${program} is not installed: ${install}` });
}

const sandboxPrograms = ["bwrap", "unshare", "setpriv"];
const packages: Readonly<Record<string, string>> = {
  bwrap: "bubblewrap",
  unshare: "util-linux",
  setpriv: "util-linux",
};

const retainedMs = captureLimits.retainedHours * 3_600_000;
/** The other data of the gateway must not lack space because of a capture. */
const spareBytes = 256 << 20;
const roundMs = 600_000;
const endCheckMs = 60_000;
