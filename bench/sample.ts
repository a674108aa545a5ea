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

/** The n-th of 10,000 policies: most speak of devices, the others of everything else a policy can speak of. */
export function samplePolicySource(
  n: number,
  deviceIds: readonly string[],
  groupIds: readonly string[],
): { source_type: "device" | "device_group" | "subnet" | "destination" | "domain"; source_value: string } {
  const kind = n % 20;
  if (kind < 14) return { source_type: "device", source_value: deviceIds[n]! };
  if (kind < 15) return { source_type: "device_group", source_value: groupIds[Math.floor(n / 20)]! };
  if (kind < 17) return { source_type: "subnet", source_value: `10.${100 + (n >> 8)}.${n & 255}.0/24` };
  if (kind < 19) return { source_type: "destination", source_value: `198.${n >> 8}.${n & 255}.0/24` };
  return { source_type: "domain", source_value: `host-${n}.example` };
}
