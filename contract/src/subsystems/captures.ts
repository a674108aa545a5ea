import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, Timestamp } from "../values.ts";

/** Beyond them a request answers `limit_reached`. */
export const captureLimits = {
  running: 3,
  retained: 20,
  packets: 50_000,
  durationSec: 3600,
  bytes: 64 << 20,
  retainedBytes: 256 << 20,
  retainedHours: 24,
  streams: 8,
  programs: 2,
  presets: 14,
} as const;

const mebibytes = (bytes: number): string => `${bytes >> 20} MiB`;

const CaptureFilter = Type.String({
  maxLength: 1000,
  // The kernel ends an argument at a NUL, and no filter needs a character beyond ASCII.
  pattern: "^[ -~]*$",
  description: "BPF filter, as of tcpdump; empty: all packets. Host names are refused, because they would be resolved",
});

export const captureEnds = OneOf(["stopped", "count", "duration", "size", "failed"], {
  description: `Why it ended. size: it reached ${mebibytes(captureLimits.bytes)}`,
});

export const Capture = named(
  "Capture",
  Type.Object({
    id: Id,
    interface: Type.String(),
    filter: Type.String({ description: "Empty: all packets" }),
    state: OneOf(["running", "stopped", "failed"]),
    end_reason: Nullable(captureEnds),
    failure: Nullable(Type.String({ description: "The message of tcpdump, if it failed" })),
    started_at: Timestamp,
    ended_at: Nullable(Timestamp),
    expires_at: Nullable({ ...Timestamp, description: "When it is deleted at the latest; null: it is running" }),
    count: Type.Integer({ description: "It ends with this number of packets" }),
    duration_sec: Type.Integer({ description: "It ends after this time" }),
    packets: Type.Integer({ description: "Recorded packets" }),
    bytes: Type.Integer({ description: "Their size on the disk of the gateway" }),
    dropped: Nullable(
      Type.Integer({
        description: "Packets that the kernel dropped because tcpdump was too slow; null: not known before the end",
      }),
    ),
    withheld: Type.Integer({
      description: "Packets that were not recorded, because the log level of their device is none",
    }),
    mixed: Type.Boolean({
      description:
        "Devices with the log level none exist, and on this interface their packets cannot be distinguished from others: the capture may contain them",
    }),
  }),
);
export type Capture = Readonly<Static<typeof Capture>>;

const Port = Nullable(Type.Integer());

export const CapturedPacket = named(
  "CapturedPacket",
  Type.Object({
    number: Type.Integer({ description: "From 1, in the order of arrival" }),
    timestamp: Timestamp,
    length: Type.Integer({ description: "Bytes on the link" }),
    protocol: Type.String({ description: "Such as tcp, udp, icmp, arp or dns" }),
    source: Nullable(Type.String({ description: "IP address; of a frame without one, the MAC address" })),
    destination: Nullable(Type.String()),
    source_port: Port,
    destination_port: Port,
    info: Type.String({
      description: "Flags of TCP, the name in a DNS message, the type of an ICMP message and the like",
    }),
  }),
);
export type CapturedPacket = Readonly<Static<typeof CapturedPacket>>;

const CaptureDetail = named(
  "CaptureDetail",
  Type.Object({ ...Capture.properties, summaries: Type.Array(CapturedPacket, { description: "Packets by number" }) }),
);
export type CaptureDetail = Readonly<Static<typeof CaptureDetail>>;

/** One line of the stream. */
const CaptureLine = named(
  "CaptureLine",
  Type.Union([
    Type.Object({ kind: Type.Literal("packet"), packet: CapturedPacket }),
    Type.Object(
      { kind: Type.Literal("skipped"), packets: Type.Integer() },
      { description: "The reader is too slow: so many packets are missing here. They are in the capture" },
    ),
    Type.Object({ kind: Type.Literal("waiting") }, { description: "No packet for 15 seconds" }),
    Type.Object({ kind: Type.Literal("end"), capture: Capture }, { description: "The last line" }),
  ]),
);
export type CaptureLine = Readonly<Static<typeof CaptureLine>>;

export const CapturePreset = named(
  "CapturePreset",
  Type.Object({
    name: Type.String(),
    filter: Type.String(),
    description: Type.String(),
    links: Type.Array(OneOf(["ethernet", "ip"]), {
      description: "Kinds of interfaces it fits: ethernet, or ip such as tunnels",
    }),
  }),
);
export type CapturePreset = Readonly<Static<typeof CapturePreset>>;

const ById = Type.Object({ id: { ...Id, description: "Id of a capture" } });

export const captures = {
  list: endpoint({
    method: "GET",
    path: "/diagnostics/captures",
    role: "diagnostics",
    summary: "Running and retained captures, newest first",
    description: `At most ${captureLimits.running} run at once. The last ${captureLimits.retained} are retained for ${captureLimits.retainedHours} hours, and until the daemon stops.`,
    result: Type.Array(Capture),
    errors: [],
    cli: {
      words: ["capture", "list"],
      columns: ["id", "interface", "filter", "state", "packets", "dropped", "started_at"],
    },
  }),
  presets: endpoint({
    method: "GET",
    path: "/diagnostics/capture/presets",
    role: "diagnostics",
    summary: "Named filters for captures",
    result: Type.Array(CapturePreset),
    errors: [],
    cli: { words: ["capture", "presets"], columns: ["name", "filter", "description"] },
  }),
  start: endpoint({
    method: "POST",
    path: "/diagnostics/capture",
    role: "diagnostics",
    summary: "Record the packets of an interface",
    description:
      `It ends with its count of packets (at most ${captureLimits.packets}), its duration (at most ${captureLimits.durationSec} s) or ${mebibytes(captureLimits.bytes)}. Packets appear within a second. ` +
      "Packets of devices with the log level none are not recorded, where their addresses are visible. The interface is not put into promiscuous mode, and nothing is sent.",
    body: named(
      "CaptureStart",
      closed({
        interface: Type.String({ minLength: 1, maxLength: 15, description: "Name of an interface of the machine" }),
        ...optionals({
          filter: CaptureFilter,
          count: Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: `Packets after which it ends; default and limit: ${captureLimits.packets}`,
          }),
          duration_sec: Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: `Seconds after which it ends; default and limit: ${captureLimits.durationSec}`,
          }),
        }),
      }),
    ),
    result: Capture,
    status: 201,
    errors: ["limit_reached", "engine_unavailable", "engine_failed"],
    audit: { verb: "start", noun: "capture" },
    cli: {
      words: ["capture", "start"],
      options: { iface: "interface", filter: "filter", count: "count", duration: "duration_sec" },
    },
  }),
  get: endpoint({
    method: "GET",
    path: "/diagnostics/capture/{id}",
    role: "diagnostics",
    summary: "A capture, with summaries of its packets",
    params: ById,
    query: closed({
      after: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Only packets with a higher number" })),
      limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 500, default: 100, description: "Number of packets" })),
    }),
    result: CaptureDetail,
    errors: ["not_found"],
    cli: { words: ["capture", "get"], args: ["id"] },
  }),
  stream: endpoint({
    method: "GET",
    path: "/diagnostics/capture/{id}/stream",
    role: "diagnostics",
    summary: "Packets of a capture as they arrive, one JSON object per line",
    description:
      "Begins after the packet `after` and ends with the capture. A reader that falls behind by more than 10,000 packets gets a line with the number of those that it misses.",
    params: ById,
    query: closed({
      after: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Only packets with a higher number" })),
    }),
    result: CaptureLine,
    responseType: "application/x-ndjson",
    errors: ["not_found", "limit_reached"],
    cli: { words: ["capture", "stream"], args: ["id"] },
  }),
  packet: endpoint({
    method: "GET",
    path: "/diagnostics/capture/{id}/packets/{number}",
    role: "diagnostics",
    summary: "All layers of one packet, as tshark dissects them",
    params: Type.Object({
      ...ById.properties,
      number: Type.Integer({ minimum: 1, maximum: captureLimits.packets, description: "Number of the packet" }),
    }),
    result: Type.String(),
    responseType: "text/plain",
    errors: ["not_found", "limit_reached", "engine_unavailable", "engine_failed"],
    cli: { words: ["capture", "packet"], args: ["id", "number"] },
  }),
  download: endpoint({
    method: "GET",
    path: "/diagnostics/capture/{id}/download",
    role: "diagnostics",
    summary: "A capture as a pcapng file, for Wireshark and other programs",
    params: ById,
    result: Type.Unsafe<Uint8Array>({ type: "string", format: "binary" }),
    responseType: "application/x-pcapng",
    errors: ["not_found"],
    audit: { verb: "download", noun: "capture" },
    cli: { words: ["capture", "download"], args: ["id"] },
  }),
  stop: endpoint({
    method: "DELETE",
    path: "/diagnostics/capture/{id}",
    role: "diagnostics",
    summary: "Stop a running capture; it stays among the retained ones",
    description: "Answers when all packets up to now are recorded, which takes about a second.",
    params: ById,
    result: Capture,
    errors: ["not_found"],
    audit: { verb: "stop", noun: "capture" },
    cli: { words: ["capture", "stop"], args: ["id"] },
  }),
};
