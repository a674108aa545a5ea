import { randomBytes } from "node:crypto";
import { globSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import type { Reply, RequestOptions, TestGateway } from "../../../../testing/gateway.ts";
import { openvpnFile, peerKey, pem, staticKey, wireguardConfig, wireguardKey } from "../../../../testing/tunnels.ts";
import { editState, type LastingState, lastingState, readState } from "../../../../testing/state.ts";

const canary = (name: string): string => `canary${name}${randomBytes(9).toString("hex")}`;

/** Any place a secret could turn up in, and the bytes that are there. */
interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The places where a word stands, as it is or as programs like to write it. */
function whereIs(word: string, places: readonly Place[]): string[] {
  const forms = disguises(word);
  const holding = places.filter(({ bytes }) => forms.some((form) => bytes.includes(form)));
  return [...new Set(holding.map(({ name }) => name))].toSorted();
}

/** In base64 a word has three looks, by where in a group of three bytes it begins; its edges depend on its neighbours. */
function disguises(word: string): Buffer[] {
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), Buffer.from(word)])
      .toString("base64")
      .slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + word.length) * 8) / 6)),
  );
  const hex = Buffer.from(word).toString("hex");
  return [...[word, hex, hex.toUpperCase(), ...base64].map((it) => Buffer.from(it)), Buffer.from(word, "utf16le")];
}

type Say = (method: string, path: string, options?: RequestOptions) => Promise<Reply>;

/** A gateway whose complete output is collected in `received`: responses, events, log lines. */
async function overhear(state: LastingState, received: Place[], work: (say: Say) => Promise<void>): Promise<void> {
  await using gateway = await state.start();
  const stop = new AbortController();
  const hear = (name: string, text: string) => void received.push({ name, bytes: Buffer.from(text) });
  const events = listen(gateway, stop.signal, (text) => hear("events", text));
  try {
    await work(async (method, path, options) => {
      const reply = await gateway.request(method, path, options);
      const headers = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      hear(`answer to ${method} ${path.split("?", 1)[0]}`, `${reply.status}\n${headers}\n\n${reply.text}`);
      return reply;
    });
  } finally {
    stop.abort();
    await events;
    for (const line of gateway.logged) hear("log", line);
  }
}

async function listen(gateway: TestGateway, signal: AbortSignal, hear: (text: string) => void): Promise<void> {
  try {
    const { body } = await fetch(`${gateway.origin}/api/v1/events`, { signal });
    for await (const text of body!.pipeThrough(new TextDecoderStream())) hear(text);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Every file below a folder. */
const filesIn = (folder: string): Place[] =>
  globSync("**/*", { cwd: folder })
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
    .map((name) => ({ name: name.replace(/^.*\/state\//, ""), bytes: readFileSync(join(folder, name)) }));

/** All temporary files of this process go where we can find them. */
function temporaryGround(): ReturnType<typeof temporaryFolder> {
  const general = process.env["TMPDIR"];
  const ground = temporaryFolder();
  process.env["TMPDIR"] = ground.path;
  return {
    path: ground.path,
    [Symbol.dispose]: () => {
      ground[Symbol.dispose]();
      if (general === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = general;
    },
  };
}

test("secrets: while secrets are encrypted, none of them shows anywhere", async () => {
  using ground = temporaryGround();
  const bootstrapKey = canary("BootstrapKey");
  using state = lastingState({
    config: { auth: { enabled: true, api_keys: [bootstrapKey] }, limits: { logins_per_minute: 1000 } },
  });
  const admin = { headers: { authorization: `Bearer ${bootstrapKey}` } };
  const values = {
    created: canary("Created"),
    updated: canary("Updated"),
    deleted: canary("Deleted"),
    botToken: canary("BotToken"),
    nextBotToken: canary("NextBotToken"),
    mailPassword: canary("MailPassword"),
    brokerPassword: canary("BrokerPassword"),
    keptPlain: canary("KeptPlain"),
    privateKey: wireguardKey(),
    nextPrivateKey: wireguardKey(),
    presharedKey: wireguardKey(),
    importedKey: wireguardKey(),
    tunnelKey: canary("TunnelKey"),
    tunnelPassword: canary("TunnelPassword"),
    tlsCrypt: randomBytes(16).toString("hex"),
    proxyPassword: canary("ProxyPassword"),
    nextProxyPassword: canary("NextProxyPassword"),
  };
  const refused = {
    duplicate: canary("Duplicate"),
    wrongType: canary("WrongType"),
    unknownField: canary("UnknownField"),
    notJson: canary("NotJson"),
    inQuery: canary("InQuery"),
    short: `~${randomBytes(3).toString("hex")}`,
    oversized: canary("Oversized"),
    form: canary("Form"),
    guessedKey: canary("GuessedKey"),
    guessedPassword: canary("GuessedPassword"),
    guessedToken: canary("GuessedToken"),
    whileLocked: canary("WhileLocked"),
    whileBroken: canary("WhileBroken"),
    misplacedKey: wireguardKey(),
    fileKey: wireguardKey(),
    brokenKey: canary("BrokenKey"),
  };
  const passwords = { first: canary("Password"), second: canary("NextPassword") };
  const passphrases = {
    generated: "",
    first: canary("Passphrase"),
    second: canary("NextPassphrase"),
    wrong: canary("WrongPassphrase"),
  };
  /** A secret that one response contains, and may contain. */
  const output: Record<string, string> = {};
  const received: Place[] = [];
  const setPassphrase = (say: Say, passphrase: string) =>
    say("POST", "/secrets/set-passphrase", { ...admin, body: { passphrase } });

  function expectAbsent(passphraseInForce: string | undefined, more: readonly Place[] = []): void {
    const places = [...received, ...more, ...filesIn(ground.path)];
    const keys = Object.entries({ ...values, ...refused }).filter(([, word]) => word.endsWith("="));
    const bytes = keys.map(
      ([name, word]) => [`${name} as bytes`, Buffer.from(word, "base64").toString("hex")] as const,
    );
    const silent = { bootstrapKey, ...values, ...refused, ...passwords, ...Object.fromEntries(bytes) };
    const found = Object.entries(silent).map(([name, word]) => [name, whereIs(word, places)]);
    expect(found.filter(([, where]) => where!.length > 0)).toEqual([]);
    for (const [answer, word] of Object.entries(output)) expect(whereIs(word, places)).toEqual([answer]);
    const homes = ["portcullis.db", "portcullis.db-wal", "secrets.passphrase"];
    for (const [name, word] of Object.entries(passphrases).filter(([, it]) => it !== "")) {
      const elsewhere = whereIs(word, places).filter((it) => word !== passphraseInForce || !homes.includes(it));
      expect([name, ...elsewhere]).toEqual([name]);
    }
  }

  // Everything that can be done right with a secret, and everything that can be done wrong.
  await overhear(state, received, async (say) => {
    passphrases.generated = readState(state.stateFolder).passphrase!;
    expectAbsent(passphrases.generated);
    const setup = await say("POST", "/auth/setup", {
      ...admin,
      body: { username: "admin", password: passwords.first },
    });
    const cookie = /gateway_session=([^;]+)/.exec(setup.headers.get("set-cookie")!)![1]!;
    output["answer to POST /auth/setup"] = cookie;
    const key = await say("POST", "/auth/keys", { ...admin, body: { name: "program", role: "viewer" } });
    output["answer to POST /auth/keys"] = key.json().key;
    const session = { headers: { cookie: `gateway_session=${cookie}` } };
    const change = { current_password: passwords.first, new_password: passwords.second };
    expect((await say("POST", "/auth/change-password", { ...session, body: change })).status).toBe(200);
    const body = { username: "admin", password: refused.guessedPassword };
    expect((await say("POST", "/auth/login", { body })).status).toBe(401);
    const wrong = { current_password: refused.guessedPassword, new_password: passwords.first };
    expect((await say("POST", "/auth/change-password", { ...session, body: wrong })).status).toBe(403);
    const guess = {
      authorization: `Bearer ${refused.guessedKey}`,
      cookie: `gateway_session=${refused.guessedToken}`,
    };
    expect((await say("POST", "/secrets", { headers: guess, body: { name: "x", value: "y" } })).status).toBe(401);

    const made = await say("POST", "/secrets", { ...admin, body: { name: "gate", value: values.created } });
    const path = `/secrets/${made.json().id}`;
    expect((await say("PUT", path, { ...admin, body: { value: values.updated } })).status).toBe(200);
    const brief = await say("POST", "/secrets", { ...admin, body: { name: "brief", value: values.deleted } });
    expect((await say("DELETE", `/secrets/${brief.json().id}`, admin)).status).toBe(200);
    const token = { value: `123456:${values.botToken}` };
    expect((await say("PUT", "/settings/telegram_bot_token", { ...admin, body: token })).status).toBe(200);
    const several = { telegram_bot_token: `123456:${values.nextBotToken}`, telegram_chat_id: "1" };
    expect((await say("PUT", "/settings", { ...admin, body: several })).status).toBe(200);
    const channel = {
      name: "mail",
      type: "email",
      host: "127.0.0.1",
      port: 1,
      from: "a@b.example",
      to: ["c@d.example"],
    };
    const login = { username: "me", password: values.mailPassword };
    expect((await say("POST", "/alert-channels", { ...admin, body: { ...channel, ...login } })).status).toBe(201);
    expect((await say("POST", "/alert-channels/mail/test", admin)).json()).toMatchObject({ accepted: false });

    const broker = { host: "127.0.0.1", port: 1, security: "none", username: "me", password: values.brokerPassword };
    expect((await say("PUT", "/integrations/mqtt", { ...admin, body: broker })).status).toBe(200);
    expect((await say("POST", "/integrations/mqtt/test", admin)).json()).toMatchObject({ accepted: false });

    await keepLinks(say, admin, values);
    output["answer to POST /tunnels/generate-keys"] = (
      await say("POST", "/tunnels/generate-keys", admin)
    ).json().private_key;

    const mistakes: [status: number, path: string, body: unknown, headers?: Record<string, string>][] = [
      [409, "/secrets", { name: "gate", value: refused.duplicate }],
      [400, "/secrets", { name: "x", value: { deep: refused.wrongType } }],
      [400, "/secrets", { name: 1, value: refused.wrongType }],
      [400, "/secrets", { name: "x", value: "y", vaule: refused.unknownField }],
      [400, "/secrets", `{"name": "x", "value": "${refused.notJson}`],
      [400, `/secrets?value=${refused.inQuery}`, { name: "x", value: "y" }],
      [400, "/secrets", { name: "x", value: refused.oversized.repeat(2000) }],
      [413, "/secrets", { name: "x", value: refused.oversized.repeat(50_000) }],
      [415, "/secrets", `value=${refused.form}`, { "content-type": "application/x-www-form-urlencoded" }],
      [400, "/secrets/set-passphrase", { passphrase: [refused.wrongType] }],
      [400, "/secrets/set-passphrase", { passphrase: refused.short }],
      [409, "/tunnels", { name: "Wire", type: "wireguard", config: keyed(refused.misplacedKey) }],
      [400, "/tunnels", { name: "x", type: "openvpn", config: keyed(refused.misplacedKey) }],
      [400, "/tunnels", { name: "x", type: "wireguard", config: { ...keyed(""), private_key: [refused.wrongType] } }],
      [400, "/tunnels", { name: "x", type: "wireguard", config: { ...keyed(""), private_key: refused.brokenKey } }],
      [400, "/tunnels/import-wireguard", { config: wireguardFile(refused.fileKey, "PostUp = reboot") }],
      [400, "/tunnels/import-wireguard", { config: wireguardFile(refused.brokenKey, `${refused.fileKey} = 1`) }],
      [400, "/tunnels/import-wireguard", { config: wireguardFile("x", `Address = ${refused.brokenKey}`) }],
      [400, "/tunnels/upload-ovpn", { config: openvpnFile({ key: refused.brokenKey }, `up ${refused.brokenKey}`) }],
      [400, "/tunnels/upload-ovpn", { config: "x", password: [refused.wrongType] }],
      [400, "/proxies", { name: "x", kind: "upstream", address: "far:1", password: refused.wrongType }],
      [400, "/auth/login", { username: "admin", password: { text: refused.wrongType } }],
      [400, "/auth/setup", { username: "", password: refused.wrongType }],
    ];
    for (const [status, where, sent, headers] of mistakes) {
      const reply = await say("POST", where, { headers: { ...admin.headers, ...headers }, body: sent });
      expect([where, reply.status]).toEqual([where, status]);
    }
    const badToken = { value: `${refused.wrongType}\u0000` };
    expect((await say("PUT", "/settings/telegram_bot_token", { ...admin, body: badToken })).status).toBe(400);

    expect((await setPassphrase(say, passphrases.first)).status).toBe(200);
    expectAbsent(passphrases.first);
    expect((await setPassphrase(say, passphrases.second)).status).toBe(200);
    await readEverything(say, admin);
    expectAbsent(passphrases.second);
  });
  expectAbsent(passphrases.second);

  // Without a passphrase values do lie there in plain text, and once there is one again they do not.
  await overhear(state, received, async (say) => {
    expect((await say("POST", "/secrets/clear-passphrase", admin)).status).toBe(200);
    await say("POST", "/secrets", { ...admin, body: { name: "plain", value: values.keptPlain } });
    const plain = filesIn(ground.path);
    const { updated, keptPlain, nextPrivateKey, presharedKey, tunnelKey, tlsCrypt, nextProxyPassword } = values;
    for (const word of [updated, keptPlain, nextPrivateKey, presharedKey, tunnelKey, tlsCrypt, nextProxyPassword])
      expect(whereIs(word, plain)).not.toEqual([]);
    for (const word of Object.values(passphrases)) expect(whereIs(word, filesIn(ground.path))).toEqual([]);
    expect((await setPassphrase(say, passphrases.first)).status).toBe(200);
    await readEverything(say, admin);
    expectAbsent(passphrases.first);
  });
  expectAbsent(passphrases.first);

  // A vault without its key, and a database that cannot write: the answer is a failure, and says no more.
  rmSync(join(state.stateFolder, "secrets.passphrase"));
  editState(state.stateFolder, "DELETE FROM setting WHERE key = 'secrets_passphrase'");
  await overhear(state, received, async (say) => {
    const locked = await say("POST", "/secrets", { ...admin, body: { name: "x", value: refused.whileLocked } });
    expect([locked.status, (await setPassphrase(say, passphrases.wrong)).status]).toEqual([500, 500]);
    await readEverything(say, admin);
    expectAbsent(undefined);
    expect((await setPassphrase(say, passphrases.first)).status).toBe(200);
    expectAbsent(passphrases.first);
  });
  for (const verb of ["INSERT", "UPDATE"])
    editState(
      state.stateFolder,
      `CREATE TRIGGER no_${verb} BEFORE ${verb} ON sealed_value BEGIN SELECT RAISE(ABORT, 'the disk says no'); END`,
    );
  const broken: Place[] = [];
  await overhear(state, broken, async (say) => {
    const failed = await say("POST", "/secrets", { ...admin, body: { name: "x", value: refused.whileBroken } });
    expect(failed.json().error.code).toBe("internal");
    expect((await setPassphrase(say, passphrases.wrong)).json().error.code).toBe("internal");
  });
  expect(whereIs("the disk says no", broken)).toEqual(["log"]);
  expectAbsent(passphrases.first, broken);
});

const keyed = (private_key: string) => ({ ...wireguardConfig(), private_key });

const wireguardFile = (privateKey: string, ...lines: string[]): string =>
  [
    "[Interface]",
    `PrivateKey = ${privateKey}`,
    "Address = 10.2.0.2",
    ...lines,
    "[Peer]",
    `PublicKey = ${peerKey}`,
  ].join("\n");

/** Tunnels and proxies, created by every endpoint that accepts keys. */
async function keepLinks(say: Say, admin: RequestOptions, values: Readonly<Record<string, string>>): Promise<void> {
  const [peer] = wireguardConfig().peers;
  const peers = [{ ...peer, preshared_key: values["presharedKey"] }];
  const files = {
    ca: pem("CERTIFICATE", "shown"),
    key: pem("PRIVATE KEY", values["tunnelKey"]!),
    cert: pem("CERTIFICATE", "shown"),
    "tls-crypt": staticKey(values["tlsCrypt"]!),
  };
  const credentials = { username: "me", password: values["tunnelPassword"] };
  const far = { name: "Far", kind: "upstream", address: "192.0.2.7:1080", username: "me" };
  const make = async (path: string, body: object) => {
    const reply = await say("POST", path, { ...admin, body });
    expect([path, reply.status]).toEqual([path, 201]);
    return String(reply.json().id);
  };
  const wire = await make("/tunnels", {
    name: "Wire",
    type: "wireguard",
    config: { ...keyed(values["privateKey"]!), peers },
  });
  const made = [
    wire,
    await make("/tunnels/import-wireguard", { config: wireguardFile(values["importedKey"]!) }),
    await make("/tunnels/upload-ovpn", {
      config: openvpnFile(files, "remote nl.example.net 1194", "auth-user-pass"),
      ...credentials,
    }),
  ];
  const proxy = await make("/proxies", { ...far, password: values["proxyPassword"] });
  const changes: [path: string, body: object][] = [
    [`/tunnels/${wire}`, { config: { private_key: values["nextPrivateKey"] } }],
    [`/proxies/${proxy}`, { password: values["nextProxyPassword"] }],
  ];
  for (const [path, body] of changes) expect((await say("PUT", path, { ...admin, body })).status).toBe(200);
  for (const id of made) {
    expect((await say("GET", `/tunnels/${id}/config`, admin)).status).toBe(200);
    expect((await say("POST", `/tunnels/${id}/down`, admin)).status).toBe(200);
  }
}

async function readEverything(say: Say, admin: RequestOptions): Promise<void> {
  const { revision } = (await say("GET", "/status")).json() as { revision: number };
  const lists = [
    "/alert-channels",
    "/integrations/mqtt",
    "/alert-deliveries",
    "/alerts/webhook",
    "/secrets",
    "/settings",
    "/audit?limit=1000",
    "/snapshots?limit=1000",
    "/changes",
    "/auth/keys",
  ];
  const links = ["/tunnels", "/tunnels/egress", "/proxies", "/tproxy/status", "/render"];
  const more = ["/auth/tokens", "/auth/status", "/observer", "/platform", "/secrets/encryption-status"];
  const history = [`/snapshots/${revision}`, "/snapshots/1/differences", "/settings/telegram_bot_token"];
  for (const path of [...lists, ...more, ...links, ...history])
    expect([path, (await say("GET", path, admin)).status]).toEqual([path, 200]);
}

test("secrets: the same search finds a word in a device's notes wherever they go, also in disguise", async () => {
  using ground = temporaryGround();
  using state = lastingState();
  const bare = canary("Notes");
  const [inBase64, inHex] = [canary("Base64"), canary("Hex")];
  const notes = [bare, Buffer.from(`..${inBase64}`).toString("base64"), Buffer.from(inHex).toString("hex")].join(" ");
  const received: Place[] = [];
  await overhear(state, received, async (say) => {
    await say("POST", "/devices", { body: { name: "TV", notes } });
    await say("GET", "/devices");
    await readEverything(say, {});
    const running = whereIs(bare, filesIn(ground.path));
    expect(running).toEqual(["portcullis.db-wal"]);
  });
  const answers = ["/audit", "/devices", "/snapshots/1/differences", "/snapshots/2"].map((it) => `answer to GET ${it}`);
  for (const word of [bare, inBase64, inHex])
    expect(whereIs(word, [...received, ...filesIn(ground.path)])).toEqual([
      ...answers,
      "answer to POST /devices",
      "portcullis.db",
    ]);
  expect(whereIs("update_device", received)).toEqual([]);
  expect(whereIs("create_device", received)).toEqual(expect.arrayContaining(["events"]));
  expect(whereIs("/api/v1/devices", received)).toEqual(expect.arrayContaining(["log"]));
});
