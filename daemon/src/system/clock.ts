/** Milliseconds since the machine started. It never jumps, and it is the same for every process until the next boot. */
export const sinceBootMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
