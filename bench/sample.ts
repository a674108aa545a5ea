import { type SourceType, sourceTypes } from "@portcullis/contract/subsystems/routing";
import { type Intent, type IntentPolicy, noLinks } from "../daemon/src/compiler/input/intent.ts";

/** The n-th of 10,000 devices, with all descriptive fields. */
export const sampleDevice = (n: number) => ({
  name: `Device ${n}`,
  mac: `02:00:00:${hex(n >> 16)}:${hex((n >> 8) & 255)}:${hex(n & 255)}`,
  hostname: `device-${n}.lan`,
  ips: [`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`],
  vendor: "Example Corporation",
  notes: "In the hall; contact Kim before a restart",
});

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");

/** The n-th of 10,000 policies: most match a device, the others all other types of sources. */
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

/**
 * `count` devices and `count` policies, of all source types in turn and in ten priorities, over all tunnels. The middle device
 * has the middle policy: through the first tunnel, fail-closed.
 */
export function sampleIntent(count: number, network: Intent["network"], tunnels: readonly string[]): Intent {
  const policy = (index: number): IntentPolicy => {
    const sourceType = sourceTypes[index % sourceTypes.length]!;
    return {
      id: `policy-${String(index).padStart(5, "0")}`,
      priority: sourceType === "all" ? 110 : 100 + (index % 10),
      sourceType,
      sourceValue: sampleSource(sourceType, index),
      hops: [{ type: "vpn", target: tunnels[index % tunnels.length]! }],
      failPolicy: index % 3 === 0 ? "fail-open" : "fail-closed",
      splitting: false,
    };
  };
  const middle = count >> 1;
  return {
    network,
    devices: Array.from({ length: count }, (_, n) => ({
      id: `device-${n}`,
      mac: sampleDevice(n).mac,
      ips: sampleDevice(n).ips,
      groupIds: n === middle ? [] : [`group-${n % 100}`],
      requiresTunnel: false,
    })),
    groups: Array.from({ length: 100 }, (_, n) => `group-${n}`),
    policies: Array.from({ length: count }, (_, index) =>
      index === middle
        ? {
            ...policy(index),
            priority: 105,
            sourceType: "device",
            sourceValue: `device-${middle}`,
            hops: [{ type: "vpn", target: tunnels[0]! }],
            failPolicy: "fail-closed",
          }
        : policy(index),
    ),
    exceptions: [],
    ...noLinks,
  };
}

/** Sources that do not match the middle device, except "all", which has the lowest priority. */
function sampleSource(type: SourceType, n: number): string {
  switch (type) {
    case "all":
      return "";
    case "interface":
      return "lan1";
    case "vlan":
      return String(1 + (n % 4000));
    case "subnet":
      return `10.${1 + (n >> 8)}.${n & 255}.0/24`;
    case "device":
      return `device-${n}`;
    case "device_group":
      return `group-${n % 100}`;
    case "destination":
      return `100.${64 + (n >> 8)}.${n & 255}.0/24`;
    case "domain":
      return `host-${n}.example.org`;
  }
}
