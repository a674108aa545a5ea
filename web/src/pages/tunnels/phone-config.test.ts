import { decodeQR } from "qr/decode.js";
import { encodeQR } from "qr";
import { expect, test } from "vitest";
import { looksLikeAddresses, phoneConfig, itemsIn } from "./phone-config.ts";

const peer = {
  public_key: "Catoy5zcosV2tLSOA3EijJOWue19LpuqsuO0NYtsfQc=",
  endpoint: "203.0.113.7:51820",
  allowed_ips: ["0.0.0.0/0", "::/0"],
  persistent_keepalive: 0,
  has_preshared_key: false,
};
const privateKey = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
const text = phoneConfig({ privateKey, address: "10.7.0.9, fd00::9", dns: ["10.7.0.1"], peers: [peer] });

test("phone configuration: the phone's key and address, and the tunnel's server", () => {
  expect(text).toBe(`[Interface]
PrivateKey = ${privateKey}
Address = 10.7.0.9/32, fd00::9/128
DNS = 10.7.0.1

[Peer]
PublicKey = ${peer.public_key}
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = 203.0.113.7:51820
PersistentKeepalive = 25
`);
});

test("phone configuration: unset fields are omitted", () => {
  const bare = phoneConfig({ privateKey, address: "10.7.0.9/24", dns: [], peers: [{ ...peer, endpoint: null }] });
  expect(bare).not.toMatch(/DNS|Endpoint/);
  expect(bare).toContain("Address = 10.7.0.9/24\n");
});

test("phone configuration: a camera reads the same text from the QR code", () => {
  const rows = encodeQR(text, "raw");
  const [scale, side] = [4, rows.length * 4];
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (rows[Math.floor(y / scale)]![Math.floor(x / scale)]) data.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
  expect(decodeQR({ width: side, height: side, data })).toBe(text);
});

test("phone configuration: addresses are distinguished from other text", () => {
  expect(itemsIn("10.0.0.1,\n fd00::1  ")).toEqual(["10.0.0.1", "fd00::1"]);
  expect(["10.7.0.9", "10.7.0.9/32, fd00::9/128"].map(looksLikeAddresses)).toEqual([true, true]);
  expect(["", "phone", "10.7.0"].map(looksLikeAddresses)).toEqual([false, false, false]);
});
