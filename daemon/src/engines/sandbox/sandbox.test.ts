import { expect, test } from "vitest";
import { sandboxed } from "./sandbox.model.ts";

const program = { command: "redsocks", args: ["-c", "/etc/redsocks.conf"], userId: 61_001, port: 1080 };

test("a confined program sees its settings, and what it must not share only by its standard input", () => {
  const { command, args } = sandboxed({
    ...program,
    shown: { "/etc/passwd": "/run/x/1" },
    fromStdin: "/etc/shadow",
  });
  expect(`${command} ${args.join(" ")}`).toBe(
    "unshare --pid --fork --kill-child --mount-proc bwrap " +
      "--clearenv --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin --seccomp 3 --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64 " +
      "--dev /dev --perms 1777 --tmpfs /tmp --perms 0755 --dir /etc --ro-bind /run/x/1 /etc/passwd " +
      "--perms 0444 --ro-bind-data 0 /etc/shadow -- setpriv --reuid 61001 --regid 61001 --clear-groups --no-new-privs " +
      "--inh-caps -all --bounding-set -all redsocks -c /etc/redsocks.conf",
  );
});

test("a low port is the only privilege there is", () => {
  expect(sandboxed({ ...program, port: 80, shown: {} }).args.join(" ")).toContain(
    "--inh-caps -all,+net_bind_service --ambient-caps +net_bind_service --bounding-set -all,+net_bind_service redsocks",
  );
});

test("sandbox: the folders above what a program may read or write are open to it, each of them created once", () => {
  const read = {
    "/proc/sys/a": "/proc/sys/a",
    "/proc/sys/b": "/proc/sys/b",
    "/etc/own": "/run/own",
    "/zones": "/run/z",
  };
  const written = { "/var/lib/unbound": "/run/own" };
  const fromStdin = "/etc/unbound/unbound.conf";
  const { args } = sandboxed({
    command: "true",
    args: [],
    userId: 1,
    shown: {},
    read,
    written,
    fromStdin,
    port: 65_535,
  });
  const created = args.flatMap((word, index) => (word === "--dir" ? [`${args[index - 1]} ${args[index + 1]}`] : []));
  expect(created).toEqual(["/etc", "/proc", "/proc/sys", "/var", "/var/lib", "/etc/unbound"].map((it) => `0755 ${it}`));
});
