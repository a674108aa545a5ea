import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { packageRelations } from "../package/control.ts";
import { kernelOptions, labels } from "./layout.ts";

export interface RootOptions {
  readonly deb: string;
  readonly suite: string;
  /** URI of a Debian archive, for the build. The image itself uses deb.debian.org. */
  readonly archive: string;
  /** Public keys that may log in as root by SSH. */
  readonly sshKeys?: string | undefined;
  /** Of the commit, for files that the build writes. */
  readonly seconds: number;
}

/** What an ordinary installation of Debian has and this needs, besides what the package depends on and recommends. */
const packages = [
  "linux-image-amd64 initramfs-tools zstd systemd-sysv systemd-timesyncd systemd-boot-efi udev dbus",
  "libpam-systemd kmod iproute2 openssh-server ca-certificates less nano man-db fdisk dosfstools e2fsprogs login passwd",
  // The kernel's package recommends it: without it the image would differ from an ordinary installation where it matters.
  "apparmor",
].flatMap((line) => line.split(" "));

/** Writes the root file system into a folder that does not exist: Debian, the package, and the files of packaging/image. */
export function buildRoot(root: string, options: RootOptions): void {
  const { deb, suite, archive, seconds } = options;
  const recommended = packageRelations.recommends.join(" ");
  // systemd-resolved at the end: it replaces the resolver that the downloads use.
  const install = `DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends /root/${basename(deb)} ${recommended} systemd-resolved && rm /root/*.deb`;
  const security = archive.replace(/\/debian\/?$/, "/debian-security");
  if (security === archive) throw new Error(`--archive ends with /debian: ${archive}`);
  execFileSync(
    "mmdebstrap",
    [
      "--quiet",
      "--mode=root",
      "--variant=minbase",
      `--include=${packages.join(",")}`,
      ...['Acquire::Languages "none"', 'APT::Install-Recommends "false"'].map((it) => `--aptopt=${it}`),
      // Manual pages stay.
      ...[
        "path-exclude=/usr/share/doc/*",
        "path-include=/usr/share/doc/*/copyright",
        "path-exclude=/usr/share/locale/*",
      ].map((it) => `--dpkgopt=${it}`),
      // The initrd finds the disk of any machine, not only that of the build.
      `--essential-hook=mkdir -p "$1/etc/initramfs-tools/conf.d" && printf 'COMPRESS=zstd\\nMODULES=most\\n' > "$1/etc/initramfs-tools/conf.d/image"`,
      `--customize-hook=copy-in ${resolve(deb)} /root`,
      `--customize-hook=chroot "$1" sh -c '${install}'`,
      suite,
      root,
      `deb ${archive} ${suite} main`,
      `deb ${archive} ${suite}-updates main`,
      `deb ${security} ${suite}-security main`,
    ],
    {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds), LC_ALL: "C.UTF-8" },
      timeout: 3_600_000,
    },
  );
  configure(root, options);
  execFileSync("chroot", [root, "/usr/local/sbin/update-boot-partition", "/boot/efi"]);
  // The times of what was written here are those of the commit, as mmdebstrap does it with archives.
  execFileSync("find", [root, "-xdev", "-newermt", `@${seconds}`, "-exec", "touch", "-hd", `@${seconds}`, "{}", "+"]);
}

/** Where each file of packaging/image goes. */
const placed: Readonly<Record<string, readonly string[]>> = {
  "update-boot-partition": ["usr/local/sbin/update-boot-partition"],
  // By packages of kernels, by their removal, and by update-initramfs. The names are the last in the order of each.
  "kernel-hook": ["postinst.d", "postrm.d"]
    .map((it) => `etc/kernel/${it}/zz-update-boot-partition`)
    .concat("etc/initramfs/post-update.d/zz-update-boot-partition"),
  "grow-root": ["usr/local/sbin/grow-root"],
  "grow-root.service": ["etc/systemd/system/grow-root.service"],
  "ssh-host-keys.service": ["etc/systemd/system/ssh-host-keys.service"],
  "console-login": ["usr/local/sbin/console-login"],
  "getty.conf": ["etc/systemd/system/getty@.service.d/first-password.conf"],
  "serial-getty.conf": ["etc/systemd/system/serial-getty@.service.d/first-password.conf"],
  "system.conf": ["etc/systemd/system.conf.d/slow-devices.conf"],
  "wired.network": ["etc/systemd/network/80-wired.network"],
  "resolved.conf": ["etc/systemd/resolved.conf.d/gateway.conf"],
  "release-lan": ["usr/local/sbin/release-lan"],
  "release-lan.service": ["etc/systemd/system/release-lan.service"],
  "release-lan.path": ["etc/systemd/system/release-lan.path"],
  "sshd.conf": ["etc/ssh/sshd_config.d/keys-only.conf"],
  issue: ["etc/issue.d/portcullis.issue"],
  motd: ["etc/motd"],
};
const programs = new Set(["update-boot-partition", "kernel-hook", "grow-root", "console-login", "release-lan"]);
const enabled =
  "grow-root.service ssh-host-keys.service release-lan.service release-lan.path systemd-networkd.service systemd-resolved.service";

function configure(root: string, { suite, sshKeys }: RootOptions): void {
  const write = (path: string, content: string | Buffer, mode = 0o644) => {
    makeFolder(root, dirname(path));
    rmSync(join(root, path), { force: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  for (const [name, paths] of Object.entries(placed)) {
    const content = readFileSync(join(import.meta.dirname, "../../packaging/image", name));
    for (const path of paths) write(path, content, programs.has(name) ? 0o755 : 0o644);
  }
  write("etc/hostname", "portcullis\n");
  write("etc/hosts", "127.0.0.1 localhost\n127.0.1.1 portcullis\n::1 localhost ip6-localhost ip6-loopback\n");
  write(
    "etc/fstab",
    `LABEL=${labels.root} / ext4 rw,noatime,errors=remount-ro 0 1\nLABEL=${labels.boot} /boot/efi vfat umask=0077,nofail 0 2\n`,
  );
  write("etc/kernel/cmdline", `${kernelOptions}\n`);
  for (const name of ["sources.list", "sources.list.d"])
    rmSync(join(root, "etc/apt", name), { recursive: true, force: true });
  write("etc/apt/sources.list.d/debian.sources", sources(suite));
  // Empty: the machine gets one of its own. Without the file, systemd would enable every unit at the first boot.
  write("etc/machine-id", "");
  for (const path of ["var/lib/dbus/machine-id", "etc/resolv.conf"]) rmSync(join(root, path), { force: true });
  symlinkSync("/run/systemd/resolve/resolv.conf", join(root, "etc/resolv.conf"));
  for (const kind of ["ecdsa", "ed25519", "rsa"])
    for (const suffix of ["", ".pub"]) rmSync(join(root, `etc/ssh/ssh_host_${kind}_key${suffix}`), { force: true });
  if (sshKeys !== undefined) {
    write("root/.ssh/authorized_keys", sshKeys, 0o600);
    chmodSync(join(root, "root/.ssh"), 0o700);
  }
  const systemctl = (...words: string[]) => execFileSync("systemctl", [`--root=${root}`, "--quiet", ...words]);
  systemctl("enable", ...enabled.split(" "));
  // It would wait for an address of the LAN interface, and fail.
  systemctl("disable", "systemd-networkd-wait-online.service");
  makeFolder(root, "boot/efi/EFI/BOOT");
  cpSync(join(root, "usr/lib/systemd/boot/efi/systemd-bootx64.efi"), join(root, "boot/efi/EFI/BOOT/BOOTX64.EFI"));
}

/** Readable by all, whatever the umask of the build is. */
function makeFolder(root: string, path: string): void {
  const parent = dirname(path);
  if (parent !== ".") makeFolder(root, parent);
  if (mkdirSync(join(root, path), { recursive: true }) !== undefined) chmodSync(join(root, path), 0o755);
}

const sources = (suite: string): string =>
  [
    { uri: "http://deb.debian.org/debian", suites: `${suite} ${suite}-updates` },
    { uri: "http://deb.debian.org/debian-security", suites: `${suite}-security` },
  ]
    .map(
      ({ uri, suites }) =>
        `Types: deb\nURIs: ${uri}\nSuites: ${suites}\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n`,
    )
    .join("\n");
