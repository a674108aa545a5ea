/** Node for one architecture, as npm names it and as Debian does. */
export const architectures = { amd64: "x64", arm64: "arm64" } as const;
export type Architecture = keyof typeof architectures;

/** Programs without which the gateway does not enforce anything. perl-base and util-linux are essential in Debian. */
const depends = [
  "libc6 (>= 2.28)",
  "libstdc++6 (>= 12)",
  "libgcc-s1",
  // Not in a minimal system, and Node does not start without it.
  "libatomic1",
  "init-system-helpers (>= 1.54~)",
  "iproute2",
  "nftables",
  "iputils-ping",
  "procps",
  "conntrack",
  "openssl",
  "curl",
  "bubblewrap",
  "wireguard-tools",
  "dnsdist (>= 1.7)",
  "unbound (>= 1.17)",
  "nsd",
];
/** Kinds of hops, the DHCP server, router advertisements, captures and the vendors of devices, which not every gateway has. */
const recommends = ["wireguard-go", "openvpn", "redsocks", "kea-dhcp4-server", "radvd", "tcpdump", "ieee-data"];
/** For the details of captured packets: 127 MB, and much code for hostile data. */
const suggests = ["tshark"];

/** By name, some with a version in parentheses. */
export const packageRelations: Readonly<Record<"depends" | "recommends", readonly string[]>> = { depends, recommends };

interface Fields {
  readonly version: string;
  readonly architecture: Architecture;
  readonly installedKb: number;
}

export const renderControl = ({ version, architecture, installedKb }: Fields): string => `Package: portcullis
Version: ${version}
Architecture: ${architecture}
Maintainer: The Portcullis authors <portcullis@example.org>
Installed-Size: ${installedKb}
Section: net
Priority: optional
Depends: ${depends.join(", ")}
Recommends: ${recommends.join(", ")}
Suggests: ${suggests.join(", ")}
Description: network privacy gateway that fails closed
 Portcullis sends each device of a network through the VPN tunnel that was
 chosen for it, filters its DNS queries, and blocks it when the tunnel is down.
 .
 Installing the package changes nothing in the network of the machine: nothing
 is enforced before the interfaces are configured and the first enforcement is
 confirmed.
`;

export const renderChangelog = (version: string, time: Date): string => `portcullis (${version}) stable; urgency=medium

  * See /usr/share/doc/portcullis/changelog.gz.

 -- The Portcullis authors <portcullis@example.org>  ${mailDate(time)}
`;

/** As RFC 5322 writes it. */
const mailDate = (time: Date): string => time.toUTCString().replace("GMT", "+0000");

export const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: portcullis

Files: *
Copyright: 2026 The Portcullis authors
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

Files: usr/lib/portcullis/node
Copyright: 2009-2026 Node.js contributors and others
License: MIT and others
 The text is in /usr/share/doc/portcullis/LICENSE.node.gz.
`;
