/** Devices of a check that the gateway starts itself: each costs queries to the kernel. */
export const sampleDevices = 256;

/**
 * Devices per batch of a check of all devices. The kernel is read and compared once per batch, and the result of a batch is void
 * when rules change meanwhile.
 */
export const batchDevices = 5000;

export const batchesOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / batchDevices) }, (_, index) =>
    ids.slice(index * batchDevices, (index + 1) * batchDevices),
  );
