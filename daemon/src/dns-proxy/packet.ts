/** The DNS proxy reads and writes the id of a message, and makes negative answers. */
export const headerBytes = 12;

export const idOf = (message: Buffer): number => message.readUInt16BE(0);

export function withId(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}

/** The query as an answer with SERVFAIL. */
export const failed = (query: Buffer): Buffer => answering(query, 0x80, 0x82);

/** The query as a truncated answer: the client retries over TCP. */
export const truncated = (query: Buffer): Buffer => answering(query, 0x82, 0x80);

function answering(query: Buffer, high: number, low: number): Buffer {
  const answer = Buffer.from(query);
  answer[2] = (answer[2]! & 0x79) | high; // QR (and TC); opcode and RD stay.
  answer[3] = (answer[3]! & 0x10) | low; // RA and the response code; CD stays.
  return answer;
}

/** A message with the length prefix of a stream. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Splits a stream into messages, however its bytes arrive. A length below the header size ends it. */
export function deframer(onMessage: (message: Buffer) => void, onInvalid: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const length = rest.readUInt16BE(0);
      if (length < headerBytes) return onInvalid();
      if (rest.length < 2 + length) return;
      onMessage(rest.subarray(2, 2 + length));
      rest = rest.subarray(2 + length);
    }
  };
}
