import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { debianMirror } from "./debian-mirror.ts";

/*
 * Runs a command with the name servers of the next Debian release in /usr. Nothing is installed: packages are fetched from the
 * mirror of this machine, unpacked into a folder, and mounted over /usr in a mount namespace that ends with the command. Needs
 * root and an older Debian.
 */

const suite = "trixie";
/** Programs, and their libraries that are missing or too old in the older release. */
const packages = [
  "dnsdist unbound nsd",
  "openssl libc6 libgcc-s1 libstdc++6 libssl3t64 libluajit-5.1-2 libevent-2.1-7t64",
  "libabsl20240722 libre2-11 libbpf1 libelf1t64 libxdp1 libfstrm0",
  "libexpat1 libhiredis1.1.0 libprotobuf-c1 libpython3.13",
].flatMap((line) => line.split(" "));

const folder = resolve("node_modules/.cache", suite);
const root = `${folder}/root`;

if (!existsSync(root)) unpackPackages();
const { status } = spawnSync(
  "unshare",
  ["--mount", "--propagation", "private", "sh", "-c", within(), "sh", ...command()],
  {
    stdio: "inherit",
  },
);
process.exitCode = status ?? 1;

/** /run/netns is private too: other processes could not enter namespaces that are mounted in here. */
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

function unpackPackages(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["state/lists/partial", "archives/partial", "unpacked"])
    mkdirSync(`${folder}/${name}`, { recursive: true });
  writeFileSync(`${folder}/state/status`, "");
  writeFileSync(`${folder}/sources.list`, `deb ${debianMirror()} ${suite} main\n`);
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
  renameSync(`${folder}/unpacked`, root); // Atomic: it exists completely or not at all.
}

/** Of the machine's apt only the trusted keys are read, and nothing is written. */
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
