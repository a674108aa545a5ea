import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { debianMirror } from "../scripts/debian-mirror.ts";

/** What a machine is made of: its root folder, to be copied and never changed, and its kernel, unpacked. */
export interface Image {
  readonly root: string;
  readonly kernel: string;
}

/** Its stock kernel has virtio and virtiofs built in: a folder of this machine is the root, without initrd and disk. */
const suite = "trixie";
const packages = [
  "systemd kmod iproute2 iputils-ping nftables conntrack wireguard-tools procps util-linux",
  "python3 curl bubblewrap libatomic1 libstdc++6",
].flatMap((line) => line.split(" "));

/** What is taken of the kernel's modules. All of them would be unpacked for a minute. */
const modules = [
  "modules.*",
  "kernel/net/*",
  "kernel/crypto/*",
  "kernel/lib/*",
  "kernel/arch/x86/crypto/*",
  ...["wireguard/*", "veth.ko*", "dummy.ko*", "tun.ko*", "ifb.ko*"].map((it) => `kernel/drivers/net/${it}`),
];
/** Of `kernel/net`, what no gateway has. */
const unusedModules = [
  "6lowpan appletalk atm ax25 batman-adv bluetooth caif can ceph dccp dsa hsr ieee802154 iucv kcm l2tp lapb mac80211",
  "mac802154 mctp mpls mptcp ncsi netrom nfc nsh openvswitch phonet qrtr rds rfkill rose rxrpc sctp smc sunrpc tipc",
  "vmw_vsock wireless x25 xdp",
].flatMap((line) => line.split(" "));

/** Built once for each recipe, and kept in the user's cache folder. */
export function machineImage(): Image {
  const recipe = createHash("sha256")
    .update(readFileSync(import.meta.filename))
    .digest("hex")
    .slice(0, 16);
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "portcullis-vm");
  const folder = join(cache, recipe);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    for (const old of readdirSync(cache)) rmSync(join(cache, old), { recursive: true, force: true });
    build(cache, folder);
  }
  return { root: join(folder, "root"), kernel: join(folder, "vmlinux") };
}

/** It is there as a whole, or not at all. */
function build(cache: string, folder: string): void {
  const unfinished = mkdtempSync(join(cache, "unfinished-"));
  const inFolder = (name: string) => join(unfinished, name);
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 });
  mkdirSync(inFolder("kernel"));
  run("mmdebstrap", ...debianWords(inFolder("kernel")), suite, inFolder("root"), `deb ${debianMirror()} ${suite} main`);
  const [archive] = readdirSync(inFolder("kernel"));
  const wanted = ["./boot/vmlinuz-*", ...modules.map((it) => `./usr/lib/modules/*/${it}`)];
  const unwanted = unusedModules.map((it) => `--exclude=./usr/lib/modules/*/kernel/net/${it}`);
  const pipe = `dpkg-deb --fsys-tarfile "$1" | tar --extract --directory "$2" --wildcards "\${@:3}"`;
  run(
    "bash",
    "-o",
    "pipefail",
    "-c",
    pipe,
    "bash",
    inFolder(`kernel/${archive}`),
    inFolder("kernel"),
    ...unwanted,
    ...wanted,
  );
  const [version] = readdirSync(inFolder("kernel/usr/lib/modules"));
  mkdirSync(inFolder("root/usr/lib/modules"), { recursive: true });
  renameSync(inFolder(`kernel/usr/lib/modules/${version}`), inFolder(`root/usr/lib/modules/${version}`));
  run(
    "bash",
    "-c",
    `find "$1" -name '*.ko.xz' -print0 | xargs -0 -P 2 -n 64 xz -d`,
    "bash",
    inFolder("root/usr/lib/modules"),
  );
  run("depmod", "--basedir", inFolder("root"), version!);
  writeFileSync(inFolder("vmlinux"), unpackedKernel(readFileSync(inFolder(`kernel/boot/vmlinuz-${version}`))));
  rmSync(inFolder("kernel"), { recursive: true });
  renameSync(unfinished, folder);
}

/**
 * A root without unused files, and the kernel's package in a folder of its own: an installation would build an initrd.
 */
function debianWords(kernelFolder: string): readonly string[] {
  const newestKernel = `$(apt-cache depends linux-image-amd64 | sed -n "s/.*Depends: \\(linux-image-[0-9].*\\)/\\1/p" | head -1)`;
  const getKernel = `cd "${kernelFolder}" && export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" && apt-get -qq -o APT::Sandbox::User=root download "${newestKernel}"`;
  return [
    "--quiet",
    "--mode=root",
    "--variant=essential",
    `--include=${packages.join(",")}`,
    ...['Acquire::Languages "none"', 'APT::Install-Recommends "false"'].map((it) => `--aptopt=${it}`),
    ...["man", "doc", "locale", "info"].map((it) => `--dpkgopt=path-exclude=/usr/share/${it}/*`),
    `--customize-hook=${getKernel}`,
  ];
}

/**
 * The ELF file inside a bzImage, which the emulated processor would take seconds to unpack. Where it lies is in the
 * header ("The Linux/x86 Boot Protocol", setup_sects at 0x1f1, payload_offset and payload_length at 0x248).
 */
function unpackedKernel(image: Buffer): Buffer {
  const start = ((image[0x1f1] || 4) + 1) * 512 + image.readUInt32LE(0x248);
  const payload = image.subarray(start, start + image.readUInt32LE(0x24c));
  const isZstd = payload.readUInt32BE(0) === 0x28b52ffd;
  // The last four bytes are the length of what is packed, which only zstd takes for more of its own.
  const [program, packed] = isZstd ? ["zstd", payload.subarray(0, -4)] : ["xz", payload.subarray(0, -4)];
  const kernel = execFileSync(program as string, ["-dc"], {
    input: packed as Buffer,
    maxBuffer: 1 << 28,
    stdio: "pipe",
  });
  if (kernel.readUInt32BE(0) !== 0x7f454c46)
    throw new Error("The kernel of this Debian is packed in an unknown format");
  return kernel;
}

// `npm run vm:image` makes it while there is other work to do.
if (import.meta.main) machineImage();
