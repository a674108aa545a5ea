import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { violationsOf, checkProperties } from "../../../../testing/tunnel-files.ts";
import { tunnelText } from "../../../../testing/tunnel-fuzz.ts";
import type { OpenvpnProfile, WireguardProfile } from "./profile.ts";

const key = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
const otherKey = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=";

const wireguard: WireguardProfile = {
  privateKey: key,
  addresses: ["10.0.0.2/32"],
  dns: [],
  mtu: null,
  listenPort: null,
  peers: [{ publicKey: otherKey, presharedKey: null, endpoint: null, allowedIps: ["0.0.0.0/0"], keepaliveSec: 0 }],
};

const openvpn: OpenvpnProfile = {
  remotes: [{ host: "vpn.example.net", port: 1194, protocol: "udp" }],
  directives: [{ name: "client", args: [] }],
  blocks: { ca: "-----BEGIN CERTIFICATE-----\nMAoAAAAAAAAAAAAA\n-----END CERTIFICATE-----\n" },
  secretBlocks: {},
  requiresCredentials: true,
  credentials: null,
};

describe("tunnel files: properties of the parsers for any text", () => {
  test.each(["wireguard", "openvpn"] as const)("hold for texts that are nearly %s files", (format) => {
    fc.assert(
      fc.property(fc.noShrink(fc.integer()), (seed) => {
        expect(checkProperties(format, tunnelText(format, seed)).violations).toEqual([]);
      }),
      { numRuns: 100_000, interruptAfterTimeLimit: 1500 },
    );
  });

  // The second line of the credentials is a line of the file: said there, it is no secret.
  test.each([["openvpn", 1_022_990_864]] as const)("hold for the %s file of seed %i", (format, seed) => {
    expect(checkProperties(format, tunnelText(format, seed))).toEqual({ isRead: true, violations: [] });
  });

  test("hold for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(checkProperties("wireguard", text).violations).toEqual([]);
        expect(checkProperties("openvpn", text).violations).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("are not broken by sound profiles", () => {
    expect(violationsOf(wireguard, [])).toEqual([]);
    expect(violationsOf(openvpn, [])).toEqual([]);
  });

  test.each<[string, WireguardProfile | OpenvpnProfile, readonly string[]]>([
    ["a key is invalid", { ...wireguard, privateKey: "short" }, []],
    ["a network is not in canonical form", withPeer({ allowedIps: ["10.0.0.1/8"] }), []],
    ["a secret is shown", wireguard, [`The key is ${key}`]],
    ["a command is kept", withPeer({ endpoint: "a:1\nPostUp = id" }), []],
    ["rendering and parsing changes it", { ...wireguard, addresses: ["10.0.0.2/32", "10.0.0.2/32"] }, []],
    ["a directive is not in the list", { ...openvpn, directives: [{ name: "up", args: ["/bin/sh"] }] }, []],
    ["a script is kept", { ...openvpn, directives: [{ name: "auth", args: ["x\nup", "y"] }] }, []],
    ["a block contains more than keys", { ...openvpn, blocks: { ca: "</ca>\nup /bin/sh\n" } }, []],
    [
      "a secret is shown",
      { ...openvpn, secretBlocks: { key: "MAoAAAAAAAAAAAAA\n" } },
      ["MAoAAAAAAAAAAAAA is the key."],
    ],
    [
      "a secret is shown",
      { ...openvpn, credentials: { username: "client", password: "correct horse battery" } },
      ["The password correct horse battery is weak."],
    ],
    ["a secret is shown", withPassword("remote-cert-tls server"), []],
    ["a secret is shown", withPassword("remote vpn.example.net 1194"), ["remote vpn.example.net 1194 is no password."]],
    ["rendering and parsing changes it", { ...openvpn, blocks: {} }, []],
  ])("notice that %s", (property, profile, notes) => {
    expect(violationsOf(profile, notes)).toContain(property);
  });
});

/** Of a file that prints it in a comment of its own. */
function withPassword(password: string): OpenvpnProfile {
  const directives = [...openvpn.directives, { name: "auth", args: [`x # ${password}`] }];
  return { ...openvpn, directives, credentials: { username: "client", password } };
}

function withPeer(changed: Partial<WireguardProfile["peers"][number]>): WireguardProfile {
  return { ...wireguard, peers: [{ ...wireguard.peers[0]!, ...changed }] };
}
