import { decodeQR } from "qr/decode.js";
import { expect, test } from "vitest";
import { parseBootstrap } from "../config/bootstrap.ts";
import { setupNotice, setupUrl } from "./setup-notice.ts";

const code = "7K3M-9QXT-2WVB";

function bootstrapOf(text: string) {
  const parsed = parseBootstrap(text, "/etc/portcullis/portcullis.yaml");
  if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.bootstrap;
}

test.each([
  ["listen: {api_addr: 127.0.0.1:8080}", "http://127.0.0.1:8080", "http://127.0.0.1:8080/start#setup="],
  ["{listen: {api_addr: '0.0.0.0:8080'}, auth: {enabled: true}, network: {lan_iface: lo}}", "https://0.0.0.0:8080", "https://127.0.0.1:8080/start#setup="],
  ["{listen: {api_addr: '[::]:8080'}, auth: {enabled: true}, network: {lan_iface: none0}}", "https://[::]:8080", "https://localhost:8080/start#setup="],
])("setup notice: the setup address of a gateway with %s that listens on %s", (text, address, url) =>
  expect(setupUrl(code, address, bootstrapOf(text))).toBe(`${url}${code}`)); // biome-ignore format: a table

test("setup notice: a camera reads the address of the web interface off the notice, with the code in the fragment", () => {
  const notice = setupNotice({ code, address: "https://192.168.1.1:8443", bootstrap: bootstrapOf("") });
  expect(notice).toContain(code);
  expect(decodeQR(pictureOf(notice))).toBe(`https://192.168.1.1:8443/start#setup=${code}`);
});

/** A photograph of the terminal: each character is two pixels on top of each other, dark letters on light ground inverted. */
function pictureOf(notice: string) {
  const lines = notice.split("\n").filter((line) => /^[█▀▄ ]+$/.test(line) && /[█▀▄]/.test(line));
  const scale = 4;
  const rows = lines.flatMap((line) => [
    line.split("").map((it) => it === "█" || it === "▀"),
    line.split("").map((it) => it === "█" || it === "▄"),
  ]);
  const [width, height] = [rows[0]!.length * scale, rows.length * scale];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const light = rows[Math.floor(y / scale)]![Math.floor(x / scale)] ? 255 : 0;
      data.set([light, light, light, 255], (y * width + x) * 4);
    }
  return { width, height, data };
}
