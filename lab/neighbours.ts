import type { Host } from "./namespaces.ts";

/* What a neighbour on one wire learns about the gateway: by ping, ARP, neighbour discovery and ICMP redirects. */

export const ip = (host: Host, line: string) => host.run("ip", ...line.split(" "));

export const isAnswered = (host: Host, ...args: string[]) =>
  host.run("ping", "-c", "1", "-W", "3", ...args).then(
    () => true,
    () => false,
  );

/** Whether the gateway answers an ARP request for this address on that wire. */
export async function isResolved(host: Host, device: string, address: string): Promise<boolean> {
  const route = `${address}/32 dev ${device} scope link table 99`;
  await ip(host, `route add ${route}`);
  await ip(host, `rule add to ${address} lookup 99 priority 1`);
  await isAnswered(host, "-I", device, address);
  const neighbour = await ip(host, `neigh show ${address} dev ${device}`);
  await ip(host, `rule del to ${address} lookup 99 priority 1`);
  await ip(host, `route del ${route}`);
  await host.run("ip", "neigh", "flush", "dev", device, "to", address).catch(() => "");
  return neighbour.includes("lladdr");
}

/** The same for a neighbour solicitation of IPv6. */
export const isAdvertised = (host: Host, device: string, address: string): Promise<boolean> =>
  host
    .run(
      "python3",
      "-c",
      `import socket, struct
device, target = "${device}", socket.inet_pton(socket.AF_INET6, "${address}")
one = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
mac = bytes.fromhex(open(f"/sys/class/net/{device}/address").read().strip().replace(":", ""))
group = socket.inet_ntop(socket.AF_INET6, bytes.fromhex("ff0200000000000000000001ff") + target[13:])
one.settimeout(1)
one.sendto(struct.pack("!BBHI16sBB6s", 135, 0, 0, 0, target, 1, 1, mac), (group, 0, 0, socket.if_nametoindex(device)))
try:
    while True:
        message = one.recv(200)
        if message[0] == 136 and message[8:24] == target:
            print("advertised")
            break
except TimeoutError:
    print("silence")`,
    )
    .then((text) => text === "advertised\n");

/** How many redirects a device receives when it sends to a neighbour through the gateway, in IPv4 and IPv6. */
export async function redirectsTo(device: Host): Promise<[v4: number, v6: number]> {
  const detours = ["route add 10.0.0.77/32 via 10.0.0.1", "-6 route add fd00::77/128 via fd00::1"];
  for (const line of detours) await ip(device, line);
  const counting = `table inet redirects { counter v4 { }; counter v6 { }
    chain input { type filter hook input priority 0; icmp type redirect counter name v4; icmpv6 type nd-redirect counter name v6; }; }`;
  await device.run("nft", counting);
  for (const address of ["10.0.0.77", "fd00::77"])
    await device.run("ping", "-c", "3", "-i", "0.2", "-W", "1", address).catch(() => "");
  const listing = await device.run("nft", "list", "counters", "table", "inet", "redirects");
  await device.run("nft", "delete", "table", "inet", "redirects");
  for (const line of detours) await ip(device, line.replace(" add ", " del "));
  const [v4 = 0, v6 = 0] = [...listing.matchAll(/packets (\d+)/g)].map(([, packets]) => Number(packets));
  return [v4, v6];
}
