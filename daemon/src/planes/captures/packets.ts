import type { CapturedPacket } from "@portcullis/contract/subsystems/captures";
import { summarize, summaryBytes } from "../../engines/tcpdump/packet.parse.ts";
import { parseRecord, type PcapRecord, recordHeaderBytes, recordsIn } from "../../engines/tcpdump/pcap.parse.ts";
import { renderPcapngPacket, renderPcapngStart } from "../../engines/tcpdump/pcapng.render.ts";
import type { UnnamedFile } from "../../system/unnamed-file.ts";
import type { Recorded } from "./recording.ts";

interface Source {
  readonly recorded: Recorded;
  readonly file: UnnamedFile;
}

/** Packets are decoded when they are read, some at a time, so that other requests are answered meanwhile. */
const batch = 256;
const spanBytes = 256 << 10;

/** Summaries of packets with a number above `after`. */
export async function readSummaries(source: Source, after: number, limit: number): Promise<CapturedPacket[]> {
  const { header, state } = source.recorded;
  const last = Math.min(after + limit, state().packets);
  const summaries: CapturedPacket[] = [];
  for (let number = after + 1; number <= last; number += batch) {
    const records = await readBeginnings(source, number, Math.min(batch, last - number + 1));
    for (const [place, record] of records.entries()) summaries.push(toPacket(record, number + place, header.linkType));
  }
  return summaries;
}

/** Of large packets only the beginning is read. */
async function readBeginnings({ recorded, file }: Source, first: number, count: number): Promise<PcapRecord[]> {
  const [start, end] = [recorded.startOf(first), recorded.startOf(first + count)];
  if (end - start <= spanBytes) {
    const bytes = await file.read(start, end - start);
    return recordsIn(bytes).map((place) => parseRecord(bytes.subarray(place.start, place.end)));
  }
  return Promise.all(
    Array.from({ length: count }, async (_, place) => {
      const [from, to] = [recorded.startOf(first + place), recorded.startOf(first + place + 1)];
      return parseRecord(await file.read(from, Math.min(to - from, recordHeaderBytes + summaryBytes)));
    }),
  );
}

function toPacket(record: PcapRecord, number: number, linkType: number): CapturedPacket {
  const { protocol, source, destination, sourcePort, destinationPort, info } = summarize(record.data, linkType);
  return {
    number,
    timestamp: isoMicros(record),
    length: record.length,
    protocol,
    source,
    destination,
    source_port: sourcePort,
    destination_port: destinationPort,
    info,
  };
}

const isoMicros = ({ seconds, micros }: PcapRecord): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, -4)}${String(micros).padStart(6, "0")}Z`;

/** The packets that are recorded now, as a pcapng file. */
export async function* readPcapng({ recorded, file }: Source, device: string, filter: string): AsyncGenerator<Buffer> {
  const { header, state, startOf } = recorded;
  yield renderPcapngStart(device, filter, header.linkType, header.snapLength);
  const { bytes: end } = state();
  let at = startOf(1);
  while (at < end) {
    const bytes = await file.read(at, Math.min(spanBytes + maxPacketBytes, end - at));
    const places = recordsIn(bytes);
    if (places.length === 0) return;
    yield Buffer.concat(places.map((place) => renderPcapngPacket(parseRecord(bytes.subarray(place.start, place.end)))));
    at += places.at(-1)!.end;
  }
}

/** A read contains at least one packet. */
const maxPacketBytes = (256 << 10) + recordHeaderBytes;
