/** Of a DNS message the forwarder knows the first two bytes, and how a message says that there is no answer. */
export const headerBytes = 12;

export const idOf = (message: Buffer): number => message.readUInt16BE(0);

export function withId(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}

/** The question again, as an answer that nothing was found out. */
export const failed = (question: Buffer): Buffer => answering(question, 0x80, 0x82);

/** The question again, as an answer that does not fit into a datagram: one asks again over TCP. */
export const truncated = (question: Buffer): Buffer => answering(question, 0x82, 0x80);

function answering(question: Buffer, high: number, low: number): Buffer {
  const answer = Buffer.from(question);
  answer[2] = (answer[2]! & 0x79) | high; // QR (and TC); what was asked and whether recursively stays.
  answer[3] = (answer[3]! & 0x10) | low; // RA and the result; whether checking is disabled stays.
  return answer;
}

/** A message as a stream carries it. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Cuts a stream into messages, whichever way its bytes arrive. One that is too short to be a message ends it. */
export function deframer(onMessage: (message: Buffer) => void, onNonsense: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const length = rest.readUInt16BE(0);
      if (length < headerBytes) return onNonsense();
      if (rest.length < 2 + length) return;
      onMessage(rest.subarray(2, 2 + length));
      rest = rest.subarray(2 + length);
    }
  };
}
