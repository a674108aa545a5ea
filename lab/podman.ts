import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { readYaml } from "../daemon/src/config/yaml.ts";

const execute = promisify(execFile);

/** Podman with images and containers in a folder of its own: it changes none of this machine's. */
export interface Podman {
  run(...words: readonly string[]): Promise<string>;
  start(...words: readonly string[]): ChildProcess;
}

export function podmanIn(folder: string): Podman {
  const own = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--tmpdir", join(folder, "tmp")];
  const words = (more: readonly string[]) => [
    "--mount",
    "bash",
    "-c",
    unified,
    "podman",
    ...own,
    "--cgroup-manager=cgroupfs",
    "--events-backend=file",
    ...more,
  ];
  return {
    run: async (...more) => (await execute("unshare", words(more), { maxBuffer: 1 << 26, timeout: 1_800_000 })).stdout,
    start: (...more) => spawn("unshare", words(more), { stdio: ["ignore", "pipe", "pipe"] }),
  };
}

/** crun wants the unified hierarchy of control groups, which some machines mount elsewhere. */
const unified = `
if [ "$(stat -fc %T /sys/fs/cgroup)" != cgroup2fs ]; then
  umount --recursive --lazy /sys/fs/cgroup
  mount -t cgroup2 none /sys/fs/cgroup
fi
exec podman "$@"`;

/** Below those of this machine, which a container engine would raise otherwise. */
export const limits = ["--ulimit=nofile=10000:10000", "--ulimit=nproc=9000:9000"];

interface Service {
  readonly network_mode: string;
  readonly cap_drop: readonly string[];
  readonly cap_add: readonly string[];
  readonly security_opt: readonly string[];
  readonly devices: readonly string[];
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly volumes: readonly string[];
}

/**
 * The options of podman for a service of a compose file. The host is one of the lab: its network namespace, and its folders
 * are below `root`.
 */
export function optionsOf(file: string, namespace: string, root: string): readonly string[] {
  const service = serviceIn(file);
  if (service.network_mode !== "host") throw new Error("The service is expected to use the network of its host");
  const {
    cap_drop: dropped,
    cap_add: added,
    security_opt: security,
    devices,
    read_only: isFixed,
    tmpfs,
    volumes,
  } = service;
  return [
    `--network=ns:/run/netns/${namespace}`,
    ...dropped.map((it) => `--cap-drop=${it}`),
    ...added.map((it) => `--cap-add=${it}`),
    // Docker's word for it; podman has another one.
    ...security.map((it) => `--security-opt=${it === "systempaths=unconfined" ? "unmask=ALL" : it}`),
    ...devices.map((it) => `--device=${it}`),
    ...(isFixed ? ["--read-only"] : []),
    ...tmpfs.map((it) => `--tmpfs=${it}`),
    ...volumes.map((it) => `--volume=${root}${it}`),
    "--cgroups=disabled",
    ...limits,
  ];
}

/** The only service of a compose file. */
export function serviceIn(file: string): Service {
  const read = readYaml(file);
  if (read.kind === "broken") throw new Error(read.errors.map(({ message }) => message).join("; "));
  const [service] = Object.values((read.value as { services: Readonly<Record<string, Service>> }).services);
  if (service === undefined) throw new Error("The compose file has no service");
  return service;
}

/** Resolves with what it wrote when it has ended. */
export async function endOf(child: ChildProcess): Promise<string> {
  const chunks: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk: Buffer) => chunks.push(String(chunk)));
  await once(child, "close");
  return chunks.join("");
}
