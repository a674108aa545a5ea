import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { keyPair } from "../lab/servers.ts";
import { writeStaged } from "../scripts/package/build.ts";
import { packedFiles } from "../scripts/package/contents.ts";

/** The files of the package, below `root`. */
export function install(root: string): void {
  const node = resolve(process.execPath, "../..");
  const time = new Date(0);
  const files = packedFiles({ root: resolve("."), node, runningNode: process.execPath, version: "0", time });
  for (const file of files) writeStaged(root, file);
}

/** What surrounds the gateway, and who watches it. */
export function addTestServices(root: string): void {
  const units = join(root, "etc/systemd/system");
  cpSync("vm/guest", join(root, "opt/vm"), { recursive: true });
  for (const name of readdirSync("vm/guest").filter((it) => it.endsWith(".service")))
    cpSync(join("vm/guest", name), join(units, name));
  for (const name of needless) symlinkSync("/dev/null", join(units, name));
  mkdirSync(join(root, "etc/systemd/system-generators"));
  for (const name of readdirSync(join(root, "usr/lib/systemd/system-generators")))
    symlinkSync("/dev/null", join(root, "etc/systemd/system-generators", name));
  symlinkSync("/usr/lib/systemd/system/multi-user.target", join(units, "default.target"));
  // Known already: otherwise this were a first start, and systemd would make up its mind about every unit.
  writeFileSync(join(root, "etc/machine-id"), `${"0123456789abcdef".repeat(2)}\n`);
  enable(root, { "sysinit.target": ["wires.service", "probe-monitor.service", "agent.service"] });
  enable(root, { "multi-user.target": ["network.service"] });
}

/** What Debian starts that is of no use to a machine without disks, users and time, and takes an emulated processor seconds. */
const needless = [
  "dev-hugepages.mount dev-mqueue.mount proc-sys-fs-binfmt_misc.automount sys-fs-fuse-connections.mount",
  "sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount",
  "getty.target systemd-logind.service systemd-user-sessions.service timers.target remote-fs.target",
  "modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service",
  "kmod-static-nodes.service ldconfig.service systemd-binfmt.service systemd-firstboot.service",
  "systemd-hibernate-clear.service systemd-journal-catalog-update.service systemd-machine-id-commit.service",
  "systemd-modules-load.service systemd-pcrmachine.service systemd-pcrphase.service systemd-pcrphase-sysinit.service",
  "systemd-pstore.service systemd-random-seed.service systemd-sysusers.service systemd-tmpfiles-setup-dev.service",
  "systemd-tmpfiles-setup-dev-early.service systemd-tpm2-setup.service systemd-tpm2-setup-early.service",
  "systemd-journal-flush.service systemd-remount-fs.service systemd-tmpfiles-setup.service systemd-creds.socket",
  "systemd-hostnamed.socket systemd-initctl.socket systemd-sysext.socket",
  "systemd-update-done.service systemd-ask-password-console.path systemd-ask-password-wall.path",
].flatMap((line) => line.split(" "));

/** As `systemctl enable` does it. */
export function enable(root: string, wants: Readonly<Record<string, readonly string[]>>): void {
  for (const [target, units] of Object.entries(wants)) {
    const folder = join(root, "etc/systemd/system", `${target}.wants`);
    mkdirSync(folder, { recursive: true });
    for (const unit of units) {
      const link = join(folder, unit);
      rmSync(link, { force: true });
      const own = join("/etc/systemd/system", unit);
      symlinkSync(existsSync(join(root, own)) ? own : join("/usr/lib/systemd/system", unit), link);
    }
  }
}

export const configurationFile = "etc/portcullis/portcullis.yaml";
const configuration = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  dns: { enabled: false },
  dataplane: { confirm_first_sec: 0 },
};

/** A configuration and a state in which the device may leave by a tunnel only, and the tunnel's other end. */
export async function configure(root: string): Promise<void> {
  const [near, far] = [keyPair(), keyPair()];
  mkdirSync(join(root, "etc/portcullis"), { recursive: true });
  writeFileSync(join(root, configurationFile), JSON.stringify(configuration), { mode: 0o600 });
  const provider = `[Interface]
PrivateKey = ${far.privateKey}
ListenPort = 51820
[Peer]
PublicKey = ${near.publicKey}
AllowedIPs = 10.77.1.2/32, fd77:1::2/128
`;
  writeFileSync(join(root, "opt/vm/provider.conf"), provider);
  await using daemon = await idleDaemon(join(root, "var/lib/portcullis"));
  const peer = {
    public_key: far.publicKey,
    endpoint: "198.51.100.254:51820",
    allowed_ips: ["0.0.0.0/0", "::/0"],
    persistent_keepalive: 1,
  };
  const config = { private_key: near.privateKey, addresses: ["10.77.1.2/32", "fd77:1::2/128"], peers: [peer] };
  await daemon.ok("/tunnels", { name: "tunnel", type: "wireguard", interface: "wg0", config });
  await daemon.ok("/devices", { name: "device", mac: "02:00:00:00:00:01" });
  const hops = [{ type: "vpn", target: "tunnel" }];
  await daemon.ok("/routing/policies", { name: "device", source_type: "device", source_value: "device", hops });
  await daemon.ok("/routing/policies/apply");
}

/** A daemon of this machine that drives nothing, to fill a state with: the emulated one would take a minute. */
async function idleDaemon(state: string) {
  const run = mkdtempSync(join(tmpdir(), "portcullis-vm-"));
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o700);
  const file = join(run, "portcullis.yaml");
  const paths = { state, run };
  const listen = { api_addr: "127.0.0.1:18099" };
  writeFileSync(file, JSON.stringify({ ...configuration, paths, listen, dataplane: { enabled: false } }));
  const child = spawn(process.execPath, ["dist/portcullisd.mjs", "--config", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await new Promise<void>((listening, failed) => {
    createInterface({ input: child.stdout }).on("line", (line) => line.includes("is listening") && listening());
    void ended.then(() => failed(new Error("The daemon ended before it listened")));
  });
  return {
    ok: async (path: string, body?: object) => {
      const sent = body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      const answer = await fetch(`http://${listen.api_addr}/api/v1${path}`, { method: "POST", ...sent });
      if (!answer.ok) throw new Error(`POST ${path}: ${await answer.text()}`);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(run, { recursive: true, force: true });
    },
  };
}
