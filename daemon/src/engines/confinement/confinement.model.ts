/** A program that is to see nothing of the machine but itself, its settings and the network. */
export interface Confined {
  readonly command: string;
  readonly args: readonly string[];
  /** All its processes have this user, and may not become another. */
  readonly userId: number;
  /** What it finds in /etc: path there → the file that is shown to it. Nothing secret. */
  readonly shown: Readonly<Record<string, string>>;
  /** Where in /etc it finds what arrives on its standard input: that lies in memory, for nobody else to see. */
  readonly fromStdin?: string;
  /** Some doors may only be opened by programs with a privilege. */
  readonly port: number;
}

/**
 * Its command line. Without a passwd, a name service or a socket of another program in sight, whatever it wants to know
 * of the world it has to ask by a packet of its own, and the kernel knows those by their user.
 */
export function confine({ command, args, userId, shown, fromStdin, port }: Confined): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return {
    command: "unshare",
    args: [
      // With process numbers of their own, all of them end with the first, which ends with the one that is watched.
      ...words("--pid --fork --kill-child"),
      ...words("bwrap --ro-bind /usr /usr"),
      ...["bin", "sbin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
      ...words("--dev /dev --perms 1777 --tmpfs /tmp --perms 0755 --dir /etc"),
      ...Object.entries(shown).flatMap(([path, source]) => ["--ro-bind", source, path]),
      ...(fromStdin === undefined ? [] : ["--perms", "0444", "--ro-bind-data", "0", fromStdin]),
      ...words(`-- setpriv --reuid ${userId} --regid ${userId} --clear-groups --no-new-privs`),
      ...words(port < firstFreePort ? binding : "--inh-caps -all --bounding-set -all"),
      command,
      ...args,
    ],
  };
}

const words = (text: string): string[] => text.split(" ");

const firstFreePort = 1024;
const binding =
  "--inh-caps -all,+net_bind_service --ambient-caps +net_bind_service --bounding-set -all,+net_bind_service";

/** Users that are nobody's but ours: above all that distributions, containers and systemd give out. */
export const ownUsers = { first: 1_900_000_000, last: 1_900_065_535 } as const;

/** Of the program that listens on a port of the gateway. */
export const userOf = (port: number): number => ownUsers.first + port;
