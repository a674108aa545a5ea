/** Transferred bytes within one raw interval. */
export interface Sample {
  /** Its number within the minute, or within what is packed together. */
  readonly slot: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Samples in few bytes: numbers of seven bits per byte, the highest bit of which continues a number. */
export function packSamples(samples: readonly Sample[]): Uint8Array {
  const bytes: number[] = [];
  for (const { slot, sentBytes, receivedBytes } of samples)
    for (const value of [slot, sentBytes, receivedBytes]) {
      let rest = value;
      while (rest >= 128) {
        bytes.push((rest % 128) + 128);
        rest = Math.floor(rest / 128);
      }
      bytes.push(rest);
    }
  return Uint8Array.from(bytes);
}

export function unpackSamples(bytes: Uint8Array): Sample[] {
  const numbers: number[] = [];
  let [value, weight] = [0, 1];
  for (const byte of bytes) {
    value += (byte % 128) * weight;
    weight *= 128;
    if (byte >= 128) continue;
    numbers.push(value);
    [value, weight] = [0, 1];
  }
  return Array.from({ length: Math.floor(numbers.length / 3) }, (_, n) => ({
    slot: numbers[3 * n]!,
    sentBytes: numbers[3 * n + 1]!,
    receivedBytes: numbers[3 * n + 2]!,
  }));
}
