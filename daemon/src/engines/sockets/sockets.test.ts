import { expect, test } from "vitest";
import type { System } from "../../system/system.ts";
import { usersByPort } from "./sockets.parse.ts";
import { connections } from "./sockets.ts";

/** A listening socket, two connections to it, one of them closing, and one over IPv6. */
const recorded: Readonly<Record<string, string>> = {
  "/proc/net/tcp": `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:3039 00000000:0000 0A 00000000:00000000 00:00000000 00000000   104        0 100843 1 0000000000000000 100 0 0 10 0
   1: 0100000A:3039 0200000A:A2C4 01 00000000:00000000 00:00000000 00000000   104        0 100911 1 0000000000000000 20 4 30 10 -1
   2: 0100000A:3039 0200000A:A2C6 06 00000000:00000000 00:00000000 00000000   104        0 100913 1 0000000000000000 20 4 30 10 -1
   3: 0202A8C0:B0E2 1402000A:0438 01 00000000:00000000 02:00000A2B 00000000   104        0 100912 2 0000000000000000 20 4 28 10 -1
`,
  "/proc/net/tcp6": `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 000000FD000000000000000001000000:3039 000000FD000000000000000002000000:D2F4 01 00000000:00000000 00:00000000 00000000     0        0 100998 1 0000000000000000 20 4 30 10 -1
`,
};

test("connections are counted by the gateway's port, in both families, while they are established", () => {
  const on = connections({ readText: (path: string) => recorded[path] } as unknown as System);
  expect([on(12_345), on(45_282), on(1)]).toEqual([2, 1, 0]);
});

test("without IPv6 there are those of IPv4", () => {
  const only = { readText: (path: string) => (path.endsWith("6") ? undefined : recorded[path]) };
  expect(connections(only as unknown as System)(12_345)).toBe(1);
});

/** Our end of a connection on loopback, the other end, one that is closing, and one to an address that is not loopback. */
const loopback = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:4647 0100007F:A2C4 01 00000000:00000000 00:00000000 00000000     0        0 100911 1 0000000000000000 20 4 30 10 -1
   1: 0100007F:A2C4 0100007F:4647 01 00000000:00000000 00:00000000 00000000 1900018000        0 100912 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:A2C6 0100007F:4647 05 00000000:00000000 00:00000000 00000000   104        0 100913 1 0000000000000000 20 4 30 10 -1
   3: 0100000A:A2C8 0100007F:4647 01 00000000:00000000 00:00000000 00000000   104        0 100914 1 0000000000000000 20 4 30 10 -1
`;

test("the user at the other end of a connection on loopback is known while it is established", () => {
  expect([...usersByPort(loopback, 0x4647)]).toEqual([[0xa2c4, 1_900_018_000]]);
});
