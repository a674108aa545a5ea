/** Devices per batch: each costs queries to the kernel, and the result of a batch is void when rules change meanwhile. */
export const batchDevices = 256;

export const batchesOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / batchDevices) }, (_, index) =>
    ids.slice(index * batchDevices, (index + 1) * batchDevices),
  );
