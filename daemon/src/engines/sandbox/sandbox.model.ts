import { type Rules, seccompBytes } from "./seccomp.model.ts";

/** A program that is to see nothing of the machine but itself, its settings and the network. */
export interface SandboxOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** All its processes have this user, and may not become another. */
  readonly userId: number;
  /** What it finds in /etc: path there → the file that is shown to it. Nothing secret. */
  readonly shown: Readonly<Record<string, string>>;
  /** What it may read, and folders it may write into: path there → path here. */
  readonly read?: Readonly<Record<string, string>>;
  readonly written?: Readonly<Record<string, string>>;
  /** A device file it may open. */
  readonly device?: string;
  /** Capabilities it cannot do its work without, as setpriv calls them. */
  readonly privileges?: readonly string[];
  /** Additions to the default seccomp filter. */
  readonly rules?: Rules;
  /** The path in /etc of its standard input, which is in memory and visible to no other program. */
  readonly fromStdin?: string;
  /** Low ports need a privilege. */
  readonly port: number;
}

/**
 * Its command line. Without a passwd, a name service or a socket of another program in sight, whatever it wants to know
 * of the world it has to ask by a packet of its own, and the kernel knows those by their user.
 */
export function sandboxed({
  command,
  args,
  userId,
  shown,
  read = {},
  written = {},
  device,
  privileges = [],
  rules = {},
  fromStdin,
  port,
}: SandboxOptions): {
  readonly command: string;
  readonly args: readonly string[];
  readonly files: readonly Uint8Array[];
} {
  const capabilities = [...privileges, ...(port < firstFreePort ? ["net_bind_service"] : [])];
  return {
    command: "unshare",
    args: [
      // With process numbers of their own, all of them end with the first, which ends with the one that is watched.
      // In a container /proc would show none of them, and bwrap looks itself up there.
      ...words("--pid --fork --kill-child --mount-proc"),
      // Not --new-session: it has a session of its own without a terminal already, and is ended by its process group.
      "bwrap",
      ...words("--clearenv --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"),
      ...words(`--seccomp ${firstFile} --ro-bind /usr /usr`),
      ...["bin", "sbin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
      ...words("--dev /dev"),
      ...(device === undefined ? [] : ["--dev-bind", device, device]),
      ...words("--perms 1777 --tmpfs /tmp --perms 0755 --dir /etc"),
      ...foldersAbove([...Object.keys({ ...read, ...written }), ...(fromStdin ? [fromStdin] : [])]).flatMap((path) => [
        "--perms",
        "0755",
        "--dir",
        path,
      ]),
      ...Object.entries({ ...shown, ...read }).flatMap(([path, source]) => ["--ro-bind", source, path]),
      ...Object.entries(written).flatMap(([path, source]) => ["--bind", source, path]),
      ...(fromStdin === undefined ? [] : ["--perms", "0444", "--ro-bind-data", "0", fromStdin]),
      ...words(`-- setpriv --reuid ${userId} --regid ${userId} --clear-groups --no-new-privs`),
      ...granted(capabilities),
      command,
      ...args,
    ],
    files: [seccompBytes(rules)],
  };
}

/** The descriptor of the first of a child's files. */
const firstFile = 3;

/** Without the folders that exist. bwrap would create the others closed to the program. */
const foldersAbove = (paths: readonly string[]): string[] => {
  const above = paths.flatMap((path) => [...path.matchAll(/(?<=.)\//g)].map(({ index }) => path.slice(0, index)));
  return [...new Set(above)].filter((path) => path !== "/etc");
};

const words = (text: string): string[] => text.split(" ");

const firstFreePort = 1024;

function granted(capabilities: readonly string[]): string[] {
  const plus = capabilities.map((name) => `+${name}`);
  const set = ["-all", ...plus].join(",");
  const ambient = plus.length > 0 ? ["--ambient-caps", plus.join(",")] : [];
  return ["--inh-caps", set, ...ambient, "--bounding-set", set];
}

/** User IDs of our programs: above all that distributions, containers and systemd assign. */
export const ownUsers = { first: 1_900_000_000, last: 1_900_065_535 } as const;

/** Of the program that listens on a port of the gateway. */
export const userOf = (port: number): number => ownUsers.first + port;
export const portOf = (userId: number): number => userId - ownUsers.first;
