import { microseconds, type PcapHeader, pcapHeaderBytes } from "./pcap.parse.ts";

/** The start of a pcap file. */
export function renderPcapStart({ linkType, snapLength }: PcapHeader): Buffer {
  const header = Buffer.alloc(pcapHeaderBytes);
  header.writeUInt32LE(microseconds, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(snapLength, 16);
  header.writeUInt32LE(linkType, 20);
  return header;
}
