import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { mirror } from "./mirror.ts";

/*
 * Runs a command where /usr has the name servers of the next Debian, which is all that our engines see of a machine.
 * Nothing is installed: packages are fetched from wherever this machine has its own, laid out in a folder, and laid
 * over /usr in a mount namespace that ends with the command. Wants root and a Debian before that one.
 */

const suite = "trixie";
/** Programs, and those of their libraries that the Debian before has not got, or only older ones of. */
const packages = [
  "dnsdist unbound nsd",
  "openssl libc6 libgcc-s1 libstdc++6 libssl3t64 libluajit-5.1-2 libevent-2.1-7t64",
  "libabsl20240722 libre2-11 libbpf1 libelf1t64 libxdp1 libfstrm0",
  "libexpat1 libhiredis1.1.0 libprotobuf-c1 libpython3.13",
].flatMap((line) => line.split(" "));

const folder = resolve("node_modules/.cache", suite);
const root = `${folder}/root`;

if (!existsSync(root)) layOut();
const { status } = spawnSync(
  "unshare",
  ["--mount", "--propagation", "private", "sh", "-c", within(), "sh", ...command()],
  {
    stdio: "inherit",
  },
);
process.exitCode = status ?? 1;

/** Names of namespaces are private too: nobody else could enter one that is mounted in here. */
function within(): string {
  return [
    "set -e",
    `mount -t overlay overlay -o ro,lowerdir='${root}/usr':/usr /usr`,
    "mkdir -p /run/netns",
    "mount -t tmpfs tmpfs /run/netns",
    "dnsdist --version | head -1; unbound -V | head -1; nsd -v 2>&1 | head -1",
    'exec "$@"',
  ].join("\n");
}

function command(): readonly string[] {
  const words = process.argv.slice(2);
  return words.length > 0 ? words : ["sh"];
}

function layOut(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["state/lists/partial", "archives/partial", "unpacked"])
    mkdirSync(`${folder}/${name}`, { recursive: true });
  writeFileSync(`${folder}/state/status`, "");
  writeFileSync(`${folder}/sources.list`, `deb ${mirror()} ${suite} main\n`);
  writeFileSync(`${folder}/apt.conf`, settings());
  const apt = (...words: string[]) =>
    execFileSync("apt-get", ["-qq", ...words], {
      env: { ...process.env, APT_CONFIG: `${folder}/apt.conf` },
      cwd: `${folder}/archives`,
      stdio: ["ignore", "inherit", "inherit"],
    });
  apt("update");
  apt("download", ...packages);
  for (const name of packages)
    execFileSync("sh", ["-c", `dpkg -x "$1"/archives/"$2"_*.deb "$1"/unpacked`, "sh", folder, name]);
  renameSync(`${folder}/unpacked`, root); // It is there as a whole, or not at all.
}

/** Nothing of the machine's own apt is read but whom it trusts, and nothing of it is written. */
function settings(): string {
  return `Dir::State "${folder}/state";
Dir::State::status "${folder}/state/status";
Dir::Cache "${folder}";
Dir::Etc::sourcelist "${folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
APT::Sandbox::User "root";
`;
}
