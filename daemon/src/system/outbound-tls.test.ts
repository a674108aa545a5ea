import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { trustedCertificate } from "../../../testing/certificates.ts";
import { openTlsServer } from "../../../testing/tls-servers.ts";
import type { PqMode } from "../net/key-exchange.ts";
import { download } from "./download.ts";
import { requestPageFrom } from "./echo.ts";
import { sendMail } from "./mail.ts";
import { publishOnce } from "./mqtt.ts";
import { connectTls } from "./outbound-tls.ts";
import { measureOffer, offerIn } from "./tls-offer.ts";
import { postWeb, requestWeb } from "./web.ts";

const trusted = trustedCertificate();

const modes: readonly PqMode[] = ["default", "preferred", "required"];
const limit = () => AbortSignal.timeout(60_000);

/** Every client of the daemon, and a server that is enough for it. */
const clients: Readonly<
  Record<string, { readonly use: (pqMode: PqMode, port: number) => Promise<unknown>; readonly serve: typeof http }>
> = {
  "a webhook": {
    use: (pqMode, port) => postWeb({ pqMode, url: https(port), headers: {}, body: "x", signal: limit() }),
    serve: http,
  },
  "a request to the external filter": {
    use: (pqMode, port) => requestWeb({ pqMode, method: "GET", url: https(port), headers: {}, timeoutMs: 60_000 }),
    serve: http,
  },
  "a request to the echo page": {
    use: (pqMode, port) => requestPageFrom({ pqMode, url: https(port), from: "127.0.0.1", timeoutMs: 60_000 }),
    serve: http,
  },
  "the download of a list": {
    use: (pqMode, port) =>
      download({
        pqMode,
        url: https(port),
        into: `${trusted.folder}/list`,
        known: { etag: null, lastModified: null },
        allowPrivate: true,
        maxBytes: 1000,
        limitMs: 60_000,
        maxRedirects: 0,
      }),
    serve: http,
  },
  "a mail over TLS": { use: (pqMode, port) => sendMail(mail(pqMode, port), limit()), serve: smtp },
  "a message to an MQTT broker": {
    use: (pqMode, port) =>
      publishOnce(
        { pqMode, host: "127.0.0.1", port, security: "tls", ca: null },
        { clientId: "c", login: null, topic: "t", payload: "p" },
        limit(),
      ),
    serve: mqtt,
  },
};

const https = (port: number): string => `https://127.0.0.1:${port}/`;
const mail = (pqMode: PqMode, port: number) => ({
  pqMode,
  host: "127.0.0.1",
  port,
  security: "tls" as const,
  login: null,
  from: "a@example.net",
  to: ["b@example.net"],
  subject: "s",
  text: "t",
  messageId: "<1@example.net>",
  headers: {},
  date: new Date(0),
});

function http(socket: TLSSocket): void {
  socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n192.0.2.1"));
}

function smtp(socket: TLSSocket): void {
  socket.write("220 a\r\n");
  let isContent = false;
  createInterface({ input: socket }).on("line", (line) => {
    if (isContent && line !== ".") return;
    isContent = line === "DATA";
    socket.write(isContent ? "354 go on\r\n" : "250 OK\r\n");
  });
}

/** CONNACK, then PUBACK of the message with the id 1. */
function mqtt(socket: TLSSocket): void {
  socket.once("data", () => {
    socket.write(Buffer.from([0x20, 2, 0, 0]));
    socket.once("data", () => socket.write(Buffer.from([0x40, 2, 0, 1])));
  });
}

describe.each(Object.keys(clients))("outbound TLS: %s", (name) => {
  const { use, serve } = clients[name]!;
  const open = (groups: string, more: { readonly maxVersion?: "TLSv1.2" } = {}) =>
    openTlsServer({ ...trusted.pair(), groups, ...more, serve });

  test.each(modes)("has a post-quantum key exchange with a hybrid server in the mode %s", async (mode) => {
    await using server = await open("X25519MLKEM768:X25519");
    await use(mode, server.port);
    expect(server.agreed).toEqual(["X25519MLKEM768"]);
  });

  test("reaches a classic server unless the mode is required, whose error names it", async () => {
    await using classic = await open("X25519");
    await use("default", classic.port);
    await use("preferred", classic.port);
    expect(classic.agreed).toEqual(["x25519", "x25519"]);
    await expect(use("required", classic.port)).rejects.toThrow(/post-quantum .*pq_crypto_mode "required"/);
    await using old = await open("X25519", { maxVersion: "TLSv1.2" });
    await use("preferred", old.port);
    await expect(use("required", old.port)).rejects.toThrow(/pq_crypto_mode "required"/);
  });
});

test("outbound TLS: preferred reaches a server with any single group that default reaches, required one with any hybrid group", async () => {
  const reached = async (mode: PqMode, groups: string): Promise<boolean> => {
    await using server = await openTlsServer({ ...trusted.pair(), groups, serve: http });
    return await requestWeb({
      pqMode: mode,
      method: "GET",
      url: https(server.port),
      headers: {},
      timeoutMs: 60_000,
    }).then(
      () => true,
      () => false,
    );
  };
  for (const group of ["X25519", "P-256", "X448", "P-384", "P-521", "ffdhe2048", "ffdhe3072"])
    expect([group, await reached("default", group), await reached("preferred", group)]).toEqual([group, true, true]);
  for (const group of ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"])
    expect([group, await reached("preferred", group), await reached("required", group)]).toEqual([group, true, true]);
  // Not a hybrid: without a classic group in it, an error in the new one would leave nothing.
  expect([await reached("preferred", "MLKEM768"), await reached("required", "MLKEM768")]).toEqual([false, false]);
});

test("outbound TLS: in the mode required, an error that has nothing to do with the key exchange stays as it is", async () => {
  await using server = await openTlsServer({ ...trusted.pair(), groups: "X25519MLKEM768", serve: http });
  trusted.trust(false);
  try {
    await expect(clients["a webhook"]!.use("required", server.port)).rejects.toThrow("DEPTH_ZERO_SELF_SIGNED_CERT");
  } finally {
    trusted.trust(true);
  }
  await expect(clients["a webhook"]!.use("required", 1)).rejects.toThrow("ECONNREFUSED");
});

test("outbound TLS: a server of OpenSSL's own program without hybrid groups is reached in the mode preferred only", async () => {
  const words = `s_server -accept 127.0.0.1:0 -www -groups P-256 -cert ${trusted.pair().cert_file} -key ${trusted.pair().key_file}`;
  const program = spawn("openssl", words.split(" "), { stdio: ["ignore", "pipe", "ignore"] });
  let port = 0;
  for await (const line of createInterface({ input: program.stdout })) {
    port = Number(/^ACCEPT 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0);
    if (port > 0) break;
  }
  const request = (pqMode: PqMode) =>
    requestWeb({ pqMode, method: "GET", url: https(port), headers: {}, timeoutMs: 60_000 });
  try {
    expect((await request("preferred")).text).toContain("TLSv1.3");
    await expect(request("required")).rejects.toThrow(/pq_crypto_mode "required"/);
  } finally {
    program.kill();
    await once(program, "exit");
  }
});

test("outbound TLS: the offer that is shown is the one that a server receives", async () => {
  const hello = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket.once("data", (bytes: Buffer) => {
      hello.resolve(bytes);
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  connectTls("required", { host: "127.0.0.1", port }).on("error", () => {});
  const hybrid = ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"];
  expect(await measureOffer("required")).toEqual({ groups: hybrid, versions: ["TLSv1.3"] });
  expect(await measureOffer("required")).toEqual(offerIn(await hello.promise));
  const classic = (await measureOffer("preferred")).groups.slice(hybrid.length);
  expect((await measureOffer("default")).groups.filter((it) => !it.includes("MLKEM"))).toEqual(classic);
  expect(classic).toContain("x25519");
  server.close();
  await once(server, "close");
});
