import { execFileSync } from "node:child_process";
import type { Site } from "../lab/internet.ts";
import { startWireguard, uniqueName } from "../lab/servers.ts";
import type { Device } from "../lab/topology-devices.ts";

const [officeInside, nasInside] = ["10.99.0.1", "10.99.0.2"];
const gateway = "10.0.0.1";

/**
 * A remote administrator. A machine on the LAN keeps a tunnel to the administrator's office: the administrator reaches
 * the gateway at its LAN address for as long as the gateway lets that machine reach the office.
 */
export async function openOffice(office: Site, nas: Device): Promise<void> {
  const [theirs, ours] = [keyPair(), keyPair()];
  const [officeLink, nasLink] = [uniqueName("wo"), uniqueName("wn")];
  await startWireguard(
    office.host,
    officeLink,
    `[Interface]
PrivateKey = ${theirs.privateKey}
ListenPort = 51820
[Peer]
PublicKey = ${ours.publicKey}
AllowedIPs = ${nasInside}/32, ${gateway}/32
`,
  );
  await office.host.run("ip", "address", "add", `${officeInside}/30`, "dev", officeLink);
  await office.host.run("ip", "route", "add", gateway, "dev", officeLink);
  await startWireguard(
    nas,
    nasLink,
    `[Interface]
PrivateKey = ${ours.privateKey}
[Peer]
PublicKey = ${theirs.publicKey}
AllowedIPs = ${officeInside}/32
Endpoint = ${office.v4}:51820
PersistentKeepalive = 1
`,
  );
  await nas.run("ip", "address", "add", `${nasInside}/30`, "dev", nasLink);
  await nas.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  await nas.run("nft", "add table ip lets_in");
  await nas.run("nft", "add chain ip lets_in post { type nat hook postrouting priority srcnat; }");
  await nas.run("nft", `add rule ip lets_in post iifname ${nasLink} oifname eth0 masquerade`);
}

/** Whether the office can reach the gateway. */
export async function isReached(office: Site): Promise<boolean> {
  return (await office.host.run("sh", "-c", `ping -q -c 1 -W 1 ${gateway} >/dev/null && echo yes || true`)) !== "";
}

const wg = (...args: string[]): string => execFileSync("wg", args, { encoding: "utf8" }).trim();

function keyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const privateKey = wg("genkey");
  return { privateKey, publicKey: execFileSync("wg", ["pubkey"], { input: privateKey, encoding: "utf8" }).trim() };
}
