import { parseCidr } from "../../net/addresses.ts";
import type { DhcpSubnet } from "./kea.model.ts";

/** Paths inside the sandbox: its socket and lock files, and its leases, which outlive a reboot. */
export const ownFolder = "/own";
export const leaseFolder = "/leases";
/** Kea refuses a socket in a folder of another mode than 0750. */
export const socketFolder = `${ownFolder}/socket`;
export const socketName = "kea4";

/**
 * The same programs by another name. The distribution's AppArmor profile for them, which applies by path, allows neither our folders nor,
 * to a program that may gain no privileges, the start of the second one, without which the file of leases only grows.
 */
const programFolder = "/engine";
export const server = `${programFolder}/kea-dhcp4`;
const cleaner = `${programFolder}/kea-lfc`;
export const programs = { [server]: "/usr/sbin/kea-dhcp4", [cleaner]: "/usr/sbin/kea-lfc" };

/** Kea accepts only files in folders that its environment names. */
export const environment = [
  `KEA_LOCKFILE_DIR=${ownFolder}`,
  `KEA_PIDFILE_DIR=${ownFolder}`,
  `KEA_LOG_FILE_DIR=${ownFolder}`,
  `KEA_CONTROL_SOCKET_DIR=${socketFolder}`,
  `KEA_DHCP_DATA_DIR=${leaseFolder}`,
  `KEA_LFC_EXECUTABLE=${cleaner}`,
];

/** Where Debian has the hook that lists leases, by architecture of Node. */
const libraryFolders: Readonly<Record<string, string>> = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };

/**
 * The whole configuration. Kea starts without subnets and gets them by its socket, so that a change needs no restart.
 * A client is identified by its MAC, as everywhere in the gateway: the client identifier is not used.
 */
export const renderKea = (subnets: readonly DhcpSubnet[], architecture: string): object => ({
  Dhcp4: {
    "interfaces-config": {
      interfaces: [...new Set(subnets.map((it) => it.interface))].toSorted(),
      "dhcp-socket-type": "raw",
      "re-detect": true,
    },
    "control-socket": { "socket-type": "unix", "socket-name": `${socketFolder}/${socketName}` },
    "lease-database": { type: "memfile", persist: true, name: `${leaseFolder}/leases4.csv`, "lfc-interval": 3600 },
    "hooks-libraries": [
      { library: `/usr/lib/${libraryFolders[architecture] ?? architecture}/kea/hooks/libdhcp_lease_cmds.so` },
    ],
    authoritative: true,
    "match-client-id": false,
    "host-reservation-identifiers": ["hw-address"],
    subnet4: subnets.map(renderSubnet),
    loggers: [{ name: "kea-dhcp4", severity: "WARN", output_options: [{ output: "stderr" }] }],
  },
});

const renderSubnet = (subnet: DhcpSubnet): object => ({
  id: subnetId(subnet.network),
  subnet: subnet.network,
  interface: subnet.interface,
  "user-context": { link: subnet.link },
  "valid-lifetime": subnet.leaseSec,
  pools: [{ pool: `${subnet.first}-${subnet.last}` }],
  "option-data": [
    { name: "routers", data: subnet.gateway },
    ...(subnet.resolvers.length > 0 ? [{ name: "domain-name-servers", data: subnet.resolvers.join(", ") }] : []),
  ],
  reservations: subnet.reservations.map(({ mac, address }) => ({ "hw-address": mac, "ip-address": address })),
});

/** Leases refer to it, so it must not depend on the order of ranges: the network's first address as a number. */
export const subnetId = (network: string): number => Number(parseCidr(network)?.base ?? 1n);
