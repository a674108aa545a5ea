import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildImage } from "../../scripts/image/build.ts";
import { debianMirror } from "../../scripts/debian-mirror.ts";
import { types } from "../../scripts/image/layout.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { bootDisk, type DiskMachine, diskOver } from "../../vm/disk-machine.ts";
import { openImage } from "../disk-image.ts";
import { openCable } from "../ethernet-cable.ts";
import { builtPackage } from "../package-journey.ts";

/*
 * The disk image: what is in it, and two boots of it on an emulated machine without KVM, each of which takes minutes. Debian 13,
 * with AppArmor.
 */
const folder = temporaryFolder();
/** An image that was built with these keys already can be tested. */
const given = process.env["IMAGE"];
const file = given ?? join(folder.path, "portcullis.raw");
const sshKeys = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ operator\n";

beforeAll(() => {
  if (given !== undefined) return;
  const deb = builtPackage({ folder: folder.path });
  buildImage({ deb, out: file, suite: "trixie", archive: debianMirror(), sshKeys, seconds: 1_767_225_600 });
}, 3_600_000);
afterAll(() => folder[Symbol.dispose]());

test("image: partitions, files and units are there, and no secret is the same on two machines", () => {
  const image = openImage(file);
  expect(image.partitions).toMatchObject([
    { name: "ESP", type: types.boot, attrs: "LegacyBIOSBootable" },
    { name: "root", type: types.root },
  ]);
  image.check();
  const [kernel] = image.names("/boot").filter((it) => it.startsWith("vmlinuz-"));
  const version = kernel!.slice("vmlinuz-".length);
  expect(image.bootFiles()).toEqual(
    expect.arrayContaining([
      "/EFI/BOOT/BOOTX64.EFI",
      "/syslinux/ldlinux.sys",
      `/kernel/${version}/vmlinuz`,
      `/kernel/${version}/initrd.img`,
      `/loader/entries/${version}.conf`,
    ]),
  );
  expect(image.readBoot("/loader/loader.conf")).toContain(`default ${version}.conf`);
  expect(image.readBoot("/syslinux/syslinux.cfg")).toContain("root=LABEL=portcullis");
  expect(image.names("/boot/efi")).toEqual([]);

  const wanted = image.names("/etc/systemd/system/multi-user.target.wants");
  for (const unit of ["portcullis", "ssh", "ssh-host-keys", "grow-root", "systemd-networkd", "apparmor"].map(
    (it) => `${it}.service`,
  ))
    expect([...wanted, ...image.names("/etc/systemd/system/sysinit.target.wants")]).toContain(unit);
  for (const unit of ["dnsdist", "unbound", "nsd", "redsocks", "kea-dhcp4-server", "radvd"].map(
    (it) => `${it}.service`,
  ))
    expect(wanted).not.toContain(unit);

  expect(/^root:([^:]*):/m.exec(image.read("/etc/shadow"))?.[1]).toBe("*");
  expect(image.stat("/etc/machine-id")).toContain("Size: 0");
  expect(image.names("/etc/ssh").filter((it) => it.startsWith("ssh_host_"))).toEqual([]);
  expect(image.read("/root/.ssh/authorized_keys")).toBe(sshKeys);
  expect(image.read("/etc/motd")).toContain("portcullis setup");
  expect(image.read("/etc/issue.d/portcullis.issue")).toContain("portcullis setup");
  expect(image.read("/etc/portcullis/portcullis.yaml")).toContain("\n  enabled: false\n");
  expect(image.read("/etc/apt/sources.list.d/debian.sources")).toContain("trixie-security");
  expect(image.names("/var/cache/apt/archives").filter((it) => it.endsWith(".deb"))).toEqual([]);
  expect(readFileSync(`${file}.packages`, "utf8")).toMatch(/^apparmor .*\n[^]*^portcullis 0\.1\.0-1\n/m);
});

const macs = { wan: "52:54:00:00:00:01", lan: "52:54:00:00:00:02", client: "52:54:00:00:00:0a" };
const password = "correct horse";

test("image: it boots by UEFI, the operator sets a password and sets the gateway up, and it boots by BIOS as it was left", {
  timeout: 7_200_000,
}, async () => {
  const disk = join(folder.path, "disk.qcow2");
  diskOver(file, disk, "4G");
  using cable = await openCable("lan", macs.lan);
  const uplink = ["-netdev", "user,id=wan,restrict=on", "-device", `virtio-net-pci,netdev=wan,mac=${macs.wan}`];
  const options = { folder: folder.path, disk, words: [...uplink, ...cable.words] };

  let keys: string;
  {
    await using machine = await bootDisk({ ...options, firmware: "uefi" });
    expect(await machine.shows(/login: $/, 1200)).toContain("portcullis setup");
    machine.send("root\n");
    await machine.shows(/root has no password yet[^]*New password: $/);
    machine.send(`${password}\n`);
    await machine.shows(/Retype new password: $/);
    machine.send(`${password}\n`);
    await logIn(machine);

    expect(await failedUnits(machine)).toBe("");
    expect(await machine.run("portcullis --version")).toContain("0.1.0");
    expect(await machine.run("ss -Hlnt 'sport = :8080'")).toContain("127.0.0.1:8080");
    expect(
      await machine.run("curl -sS --unix-socket /run/portcullis/api.sock http://localhost/api/v1/health"),
    ).toContain('"status"');
    expect(Number(await machine.run("df --output=size --block-size=1M / | tail -1"))).toBeGreaterThan(3300);
    keys = await hostKeys(machine);
    expect(keys.split("\n")).toHaveLength(3);
    expect(await machine.run("systemctl is-active ssh.service; aa-enabled")).toBe("active\nYes\n");
    await machine.run(
      "timeout 60 sh -c 'until [ -s /etc/resolv.conf ] && ip -4 -br address | grep -q 10.0.2; do sleep 1; done'",
    );

    // A kernel of another version: the machine boots it the next time.
    await machine.run(
      "for name in vmlinuz initrd.img; do cp /boot/$name-$(uname -r) /boot/$name-99.0.0-test; done; /etc/kernel/postinst.d/zz-update-boot-partition",
    );
    expect(await machine.run("cat /boot/efi/loader/loader.conf; ls /boot/efi/kernel | wc -l")).toContain(
      "default 99.0.0-test.conf\n2\n",
    );

    await setUp(machine);
    expect(await cable.offered(macs.client, 300)).toMatch(/^192\.168\.50\./);
    await machine.run("timeout 300 sh -c 'until pgrep -x unbound; do sleep 1; done'");
    expect(await machine.run("ps -C unbound -o label=")).toContain("unbound (enforce)");
    expect(await machine.run(`networkctl --no-legend list ${device("lan")}`)).toContain("unmanaged");
    expect(await machine.run("journalctl --quiet --boot --grep 'apparmor=\"DENIED\"' | cat")).toBe("");
    expect(await failedUnits(machine)).toBe("");
    await machine.powerOff();
  }

  await using machine = await bootDisk({ ...options, firmware: "bios" });
  await machine.shows(/login: $/, 1200);
  machine.send("root\n");
  await logIn(machine);
  expect(await machine.run("cat /proc/cmdline")).toContain("/kernel/99.0.0-test/vmlinuz");
  expect(await failedUnits(machine)).toBe("");
  expect(await hostKeys(machine)).toBe(keys);
  expect(await machine.run("systemctl is-active portcullis-guard.service")).toBe("active\n");
  await machine.run(
    `timeout 300 sh -c 'until ip -br address show ${device("lan")} | grep -q 192.168.50.1/24; do sleep 1; done'`,
  );
  expect(await cable.offered(macs.client, 300)).toMatch(/^192\.168\.50\./);
  await machine.powerOff();
});

/** With the password, at its prompt. */
async function logIn(machine: DiskMachine): Promise<void> {
  await machine.shows(/Password: $/);
  machine.send(`${password}\n`);
  expect(await machine.shows(/# $/)).toContain("portcullis setup");
  machine.send(
    "export PS1='' PS2='' TERM=dumb PAGER=cat; bind 'set enable-bracketed-paste off'; stty -echo cols 400; echo quiet\"\"\n",
  );
  await machine.shows(/^quiet\r?\n/m);
}

const failedUnits = async (machine: DiskMachine) =>
  (await machine.run("systemctl is-system-running --wait; systemctl --failed --no-legend --plain", 900)).replace(
    /^running\n/,
    "",
  );

const hostKeys = async (machine: DiskMachine) =>
  (await machine.run("cut -d ' ' -f 2 /etc/ssh/ssh_host_*_key.pub")).trim();

/** A word for the shell: the name of the interface. */
const device = (role: "wan" | "lan") => `$(basename $(dirname $(grep -l ${macs[role]} /sys/class/net/*/address)))`;

/** As an operator on the console does it: there is no client yet from which the rules could be confirmed. */
async function setUp(machine: DiskMachine): Promise<void> {
  const words = "--lan-address 192.168.50.1/24 --dhcp yes --unknown direct --web lan --yes";
  await machine.run(
    `(portcullis setup --wan ${device("wan")} --lan ${device("lan")} ${words} > /root/setup.log 2>&1 < /dev/null &)`,
  );
  await machine.run(
    "timeout 900 sh -c 'until portcullis confirm \"on the console\" > /root/confirm.log 2>&1; do sleep 1; done' || { cat /root/setup.log /root/confirm.log; false; }",
    1000,
  );
  await machine.run(
    'timeout 900 sh -c \'until grep -q "portcullis-guard.service is enabled" /root/setup.log && ! pgrep -f "[p]ortcullis.mjs setup"; do sleep 1; done\' || { cat /root/setup.log; false; }',
    1000,
  );
}
