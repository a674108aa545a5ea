/** The packets of MQTT 3.1.1 that a client needs which publishes, and that subscribes with QoS 0. */

export interface ConnectPacket {
  readonly clientId: string;
  readonly keepAliveSec: number;
  readonly login: { readonly username: string; readonly password: string } | null;
  readonly will: { readonly topic: string; readonly payload: string } | null;
}

/** What a broker sends. */
export type BrokerPacket =
  | { readonly kind: "connected"; readonly code: number }
  | {
      readonly kind: "message";
      readonly topic: string;
      readonly payload: string;
      readonly id: number | null;
      readonly isRetained: boolean;
    }
  | { readonly kind: "published"; readonly id: number }
  | { readonly kind: "subscribed"; readonly id: number; readonly isAccepted: boolean }
  | { readonly kind: "alive" };

/** With a clean session. The will is retained and sent with QoS 1. */
export function connectPacket({ clientId, keepAliveSec, login, will }: ConnectPacket): Buffer {
  const flags = 0x02 | (will ? 0x2c : 0) | (login ? 0xc0 : 0);
  const fields = [
    clientId,
    ...(will ? [will.topic, will.payload] : []),
    ...(login ? [login.username, login.password] : []),
  ];
  return packet(0x10, text("MQTT"), Buffer.from([4, flags]), number(keepAliveSec), ...fields.map(text));
}

/** With QoS 1. */
export const publishPacket = (id: number, topic: string, payload: string, retain: boolean): Buffer =>
  packet(0x32 | (retain ? 1 : 0), text(topic), number(id), Buffer.from(payload));

export const subscribePacket = (id: number, filter: string): Buffer =>
  packet(0x82, number(id), text(filter), Buffer.from([0]));

export const publishedPacket = (id: number): Buffer => packet(0x40, number(id));
export const pingPacket = (): Buffer => packet(0xc0);
export const disconnectPacket = (): Buffer => packet(0xe0);

export class MqttProtocolError extends Error {
  override readonly name = "MqttProtocolError";
}

/** The first packet in the bytes, and how many bytes it has; undefined: it is not complete. */
export function firstPacket(bytes: Buffer): { readonly packet: BrokerPacket; readonly size: number } | undefined {
  const length = remainingLength(bytes);
  if (length === undefined) return undefined;
  if (length.value > maxPacketBytes) throw new MqttProtocolError("the broker sent a packet that is too large");
  const size = length.end + length.value;
  if (bytes.length < size) return undefined;
  return { packet: parsed(bytes[0]!, bytes.subarray(length.end, size)), size };
}

const maxPacketBytes = 1 << 20;
/** Of the kinds of packets that have no flags and one size. */
const fixedSizes: ReadonlyMap<number, number> = new Map([
  [2, 2],
  [4, 2],
  [9, 3],
  [13, 0],
]);

function parsed(first: number, body: Buffer): BrokerPacket {
  try {
    const fixed = fixedSizes.get(first >> 4);
    if (fixed !== undefined && (fixed !== body.length || (first & 0x0f) !== 0)) throw new RangeError();
    switch (first >> 4) {
      case 2:
        return { kind: "connected", code: body.readUInt8(1) };
      case 3: {
        const topicEnd = 2 + body.readUInt16BE(0);
        const hasId = (first & 0x06) !== 0;
        return {
          kind: "message",
          topic: body.toString("utf8", 2, topicEnd),
          payload: body.toString("utf8", topicEnd + (hasId ? 2 : 0)),
          id: hasId ? body.readUInt16BE(topicEnd) : null,
          isRetained: (first & 0x01) !== 0,
        };
      }
      case 4:
        return { kind: "published", id: body.readUInt16BE(0) };
      case 9:
        return { kind: "subscribed", id: body.readUInt16BE(0), isAccepted: body.readUInt8(2) < 0x80 };
      case 13:
        return { kind: "alive" };
    }
  } catch {
    // A number is outside of the packet, or the packet has another size.
  }
  throw new MqttProtocolError("the server sent something that is not MQTT 3.1.1");
}

/** Up to four bytes with seven bits each. */
function remainingLength(bytes: Buffer): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 1; index < bytes.length; index++) {
    if (index > 4) throw new MqttProtocolError("the server sent something that is not MQTT 3.1.1");
    const byte = bytes[index]!;
    value += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return { value, end: index + 1 };
  }
  return undefined;
}

function packet(first: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  let left = body.length;
  do {
    const digit = left % 128;
    left = Math.floor(left / 128);
    length.push(left > 0 ? digit | 0x80 : digit);
  } while (left > 0);
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
