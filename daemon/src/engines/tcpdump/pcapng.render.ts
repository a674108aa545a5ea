import type { PcapRecord } from "./pcap.parse.ts";

/** The start of a pcapng file with one interface (draft-ietf-opsawg-pcapng). */
export function renderPcapngStart(interfaceName: string, filter: string, linkType: number, snapLength: number): Buffer {
  const section = Buffer.alloc(16);
  section.writeUInt32LE(0x1a2b_3c4d, 0);
  section.writeUInt16LE(1, 4);
  section.writeBigInt64LE(-1n, 8); // The length of the section is not given.
  const device = Buffer.alloc(8);
  device.writeUInt16LE(linkType, 0);
  device.writeUInt32LE(snapLength, 4);
  const options = [
    option(2, Buffer.from(interfaceName)),
    // The first byte means: a filter string of libpcap.
    ...(filter === "" ? [] : [option(11, Buffer.concat([Buffer.of(0), Buffer.from(filter)]))]),
    endOfOptions,
  ];
  return Buffer.concat([block(0x0a0d_0d0a, [section]), block(1, [device, ...options])]);
}

/** An enhanced packet block. Times count microseconds, which is the default. */
export function renderPcapngPacket({ seconds, micros, length, data }: PcapRecord): Buffer {
  const time = BigInt(seconds) * 1_000_000n + BigInt(micros);
  const header = Buffer.alloc(20);
  header.writeUInt32LE(Number(time >> 32n), 4);
  header.writeUInt32LE(Number(time & 0xffff_ffffn), 8);
  header.writeUInt32LE(data.length, 12);
  header.writeUInt32LE(length, 16);
  return block(6, [header, data]);
}

function block(type: number, parts: readonly Buffer[]): Buffer {
  const bodyBytes = padded(parts.reduce((sum, it) => sum + it.length, 0));
  const whole = Buffer.alloc(bodyBytes + 12);
  whole.writeUInt32LE(type, 0);
  whole.writeUInt32LE(whole.length, 4);
  let at = 8;
  for (const part of parts) at += part.copy(whole, at);
  whole.writeUInt32LE(whole.length, whole.length - 4);
  return whole;
}

function option(code: number, value: Buffer): Buffer {
  const whole = Buffer.alloc(4 + padded(value.length));
  whole.writeUInt16LE(code, 0);
  whole.writeUInt16LE(value.length, 2);
  value.copy(whole, 4);
  return whole;
}

const endOfOptions = Buffer.alloc(4);
const padded = (bytes: number): number => (bytes + 3) & ~3;
