import { sandboxed } from "../sandbox/sandbox.model.ts";
import type { Rules } from "../sandbox/seccomp.model.ts";

/**
 * Users of the programs behind tunnels. They are none of `ownUsers`: where those users' packets go is decided by their user,
 * where these programs' packets go by the mark that they set themselves.
 */
const tunnelUsers = { first: 1_900_070_000, last: 1_900_070_255 } as const;

/** By the number of the tunnel as an egress, which no other tunnel has. */
export const tunnelUserOf = (egress: number): number => tunnelUsers.first + egress;
export const isTunnelUser = (userId: number): boolean => userId >= tunnelUsers.first && userId <= tunnelUsers.last;

interface TunnelProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly userId: number;
  /** The folder it may write into, and what that is called in its sandbox. */
  readonly folder: { readonly inside: string; readonly path: string };
  readonly rules?: Rules;
  readonly privileges: readonly string[];
}

/**
 * A program behind a tunnel, in the sandbox. Its device was made for its user beforehand, so that it needs no privilege to
 * open it; with NET_RAW it may mark its packets (SO_MARK), while the filter of the sandbox refuses raw sockets.
 */
export const sandboxedTunnel = ({ command, args, userId, folder, rules = {}, privileges }: TunnelProgram) =>
  sandboxed({
    command,
    args,
    userId,
    shown: {},
    written: { [folder.inside]: folder.path },
    device: tunDevice,
    privileges: ["net_raw", ...privileges],
    rules,
    port: highPort,
  });

export const tunDevice = "/dev/net/tun";
const highPort = 65_535;
