import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildImage } from "../../scripts/image/build.ts";
import { debianMirror } from "../../scripts/debian-mirror.ts";
import { types } from "../../scripts/image/layout.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { openImage } from "../disk-image.ts";
import { builtPackage } from "../package-journey.ts";

/* The content of the disk image, read without booting it. */
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
