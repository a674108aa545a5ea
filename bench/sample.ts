/** The n-th of 10,000 devices, as an operator with careful habits would describe it. */
export const sampleDevice = (n: number) => ({
  name: `Device ${n}`,
  mac: `02:00:00:${hex(n >> 16)}:${hex((n >> 8) & 255)}:${hex(n & 255)}`,
  hostname: `device-${n}.lan`,
  ips: [`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`],
  vendor: "Example Corporation",
  notes: "Stands in the hall; ask Kim before restarting it",
});

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
