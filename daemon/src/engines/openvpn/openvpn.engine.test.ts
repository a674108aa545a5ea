import { because, reported, sentence } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { fakeMachine } from "../../../../testing/processes.ts";
import type { System } from "../../system/system.ts";
import { supervisor } from "../supervisor/supervisor.ts";
import { openvpn } from "./openvpn.engine.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";

const client: OpenvpnClient = {
  interface: "ov3",
  remotes: [{ address: "203.0.113.1", port: 1194, protocol: "udp" }],
  directives: [],
  blocks: { key: "A PRIVATE KEY" },
  credentials: { username: "ada", password: String.raw`a "b" \c` },
  mtu: 1400,
  mark: 1,
  userId: 1_900_070_003,
  reserved: [{ network: "10.66.9.0/24", owner: because("owner_resolver") }],
};

/** Clients whose words the test chooses. */
function machineWithClients() {
  const machine = fakeMachine();
  const sent: string[] = [];
  let say = (_line: string): void => {};
  let now = 0;
  let moves = 0;
  const refusals: string[] = [];
  /** What the kernel has of the interface, as changed by `ip`. */
  let link = { up: false, mtu: 1500, addresses: [] as string[] };
  const system: System = {
    ...machine.system,
    run: async (_, args, { stdin = "" } = {}) => {
      for (const line of stdin.split("\n")) {
        const [, verb, address = ""] = /^address (add|del) (\S+) /.exec(line) ?? [];
        link.addresses = link.addresses.filter((it) => it !== address);
        if (verb === "add") link.addresses.push(address);
        if (line.endsWith(" up") || line.endsWith(" down")) link.up = line.endsWith(" up");
        link.mtu = Number(/ mtu (\d+)$/.exec(line)?.[1] ?? link.mtu);
      }
      if (args[0] === "-batch" || !machine.files.has("/sys/class/net/ov3")) return "[]";
      const addr_info = link.addresses.map((it) => it.split("/")).map(([local, prefixlen]) => ({ local, prefixlen }));
      return JSON.stringify([{ ifname: "ov3", flags: link.up ? ["UP"] : [], mtu: link.mtu, addr_info }]);
    },
    connectUnix: (_, onLine) => {
      say = onLine;
      return { write: (line) => void sent.push(line), close: () => {} };
    },
  };
  const kept = supervisor({ system, folder: "/run/children", nowMs: () => now, onExit: () => {} });
  const engine = openvpn({
    system,
    supervisor: kept,
    folder: "/run/openvpn",
    nowMs: () => now,
    wallMs: () => wallStartMs + now,
    onChange: () => void (moves += 1),
    onRefused: (name, reason) => void refusals.push(`${name}: ${sentence(reason)}`),
  });
  return {
    refusals: () => refusals.splice(0),
    link: () => link,
    engine,
    machine,
    say: (line: string) => say(`${line}\r`),
    sent: () => sent.splice(0),
    moves: () => moves,
    pass: (ms: number) => void (now += ms),
    appear: () => {
      machine.files.set("/sys/class/net/ov3", "");
      machine.files.set("/proc/sys/net/ipv6/conf/ov3/disable_ipv6", "0\n");
      link = { up: false, mtu: 1500, addresses: [] };
    },
    vanish: () => void machine.files.delete("/sys/class/net/ov3"),
    want: async (...wanted: readonly OpenvpnClient[]) => {
      const changes = engine.changes(wanted, await engine.observe());
      if (changes.length > 0) await engine.apply(changes);
      return changes.map(({ kind }) => kind);
    },
    state: () => engine.states().get("ov3")!,
    [Symbol.dispose]: () => {
      engine.close();
      kept.close();
    },
  };
}

const wallStartMs = 1_794_732_720_000;
const connectedLine = ">STATE:1794732711,CONNECTED,SUCCESS,10.66.1.2,203.0.113.1,1194,,";

test("OpenVPN: a client is started, gets its credentials on request, and is ready when connected with its interface", async () => {
  using it = machineWithClients();
  expect(await it.want(client)).toEqual(["child"]);
  expect(it.machine.alive().map(({ words, stdin }) => [words.slice(-3), stdin.includes("A PRIVATE KEY")])).toEqual([
    [["openvpn", "--config", "stdin"], true],
  ]);
  expect(it.sent()).toEqual(["state on all", "bytecount 5"]);
  it.say(">PASSWORD:Need 'Auth' username/password");
  expect(it.moves()).toBe(1);
  expect(await it.want(client)).toEqual(["answer"]);
  expect(it.sent()).toEqual([`username "Auth" "ada"`, String.raw`password "Auth" "a \"b\" \\c"`]);
  expect(await it.want(client)).toEqual([]);
  it.say(">STATE:1794732701,AUTH,,,,,,");
  expect(it.state()).toMatchObject({ kind: "starting", reason: reported("AUTH") });
  it.appear();
  it.say(connectedLine);
  it.say(">BYTECOUNT:7,9");
  expect(it.state().kind).toBe("starting");
  expect(await it.want(client)).toEqual(["configure"]);
  expect(it.link()).toEqual({ up: true, mtu: 1400, addresses: ["10.66.1.2/32"] });
  expect(await it.want(client)).toEqual([]);
  expect(it.state()).toEqual({
    kind: "ready",
    reason: null,
    endpoint: "203.0.113.1:1194",
    lastHandshakeMs: 1_794_732_711_000,
    rxBytes: 7,
    txBytes: 9,
    countedAtMs: wallStartMs,
  });
  await it.engine.reconnect("ov3");
  expect(it.sent()).toEqual(["signal SIGUSR1"]);
  expect(it.machine.alive()).toHaveLength(1);
});

test("OpenVPN counters keep the time of the report they came with, however often they are read", async () => {
  using it = machineWithClients();
  await it.want(client);
  it.appear();
  it.say(connectedLine);
  expect(it.state()).toMatchObject({ rxBytes: 0, countedAtMs: null });
  it.say(">BYTECOUNT:1000,0");
  it.pass(2000);
  expect(it.state()).toMatchObject({ rxBytes: 1000, countedAtMs: wallStartMs });
  it.pass(3000);
  it.say(">BYTECOUNT:6000,0");
  it.pass(2000);
  expect(it.state()).toMatchObject({ rxBytes: 6000, countedAtMs: wallStartMs + 5000 });
});

test("OpenVPN: a reconnect ends a client without a server, and no client that is connecting", async () => {
  using it = machineWithClients();
  await it.want(client);
  const [first] = it.machine.alive();
  await it.engine.reconnect("ov3");
  it.say(">STATE:1794732701,AUTH,,,,,,");
  await it.engine.reconnect("ov3");
  expect(it.machine.alive()).toEqual([first]);
  it.say(">STATE:1794732701,WAIT,,,,,,");
  await it.engine.reconnect("ov3");
  expect(it.machine.alive()).toEqual([]);
  expect(await it.want(client)).toEqual(["child"]);
});

test("what was refused is held and tried again later; other credentials make another client at once", async () => {
  using it = machineWithClients();
  await it.want(client);
  it.say(">PASSWORD:Need 'Auth' username/password");
  await it.want(client);
  it.sent();
  it.say(">PASSWORD:Verification Failed: 'Auth'");
  expect(it.sent()).toEqual(["hold on"]);
  it.say(">HOLD:Waiting for hold release:5");
  expect(it.state()).toMatchObject({
    kind: "broken",
    reason: because("openvpn_refused_for_now"),
  });
  const refused = it.machine.alive();
  await it.engine.reconnect("ov3");
  expect(it.machine.alive()).toEqual(refused); // Another one would try the same password at once.
  it.pass(29_999);
  expect(await it.want(client)).toEqual([]);
  it.pass(1);
  expect(await it.want(client)).toEqual(["release"]);
  expect(it.sent()).toEqual(["hold release"]);
  expect(await it.want({ ...client, credentials: { username: "ada", password: "right" } })).toEqual(["replace"]);
  expect(it.machine.alive().map(({ processId }) => processId)).toEqual([2]);
});

test("OpenVPN: a client that lost its interface is replaced, and the drift is reported", async () => {
  using it = machineWithClients();
  await it.want(client);
  it.appear();
  it.say(connectedLine);
  expect(await it.want(client)).toEqual(["configure"]);
  expect(await it.want(client)).toEqual([]);
  it.vanish();
  expect(it.state().kind).toBe("starting");
  const actual = await it.engine.observe();
  expect(it.engine.drift(it.engine.changes([client], actual), actual)).toEqual([
    { resource: "ov3", field: "client", expected: "in use", actual: "its interface has vanished" },
  ]);
  expect(await it.want(client)).toEqual(["replace"]);
  expect(it.machine.alive().map(({ processId }) => processId)).toEqual([2]);
});

test("an interface that Portcullis did not create is left alone", async () => {
  using it = machineWithClients();
  it.appear();
  expect(await it.want(client)).toEqual([]);
  expect(it.state()).toMatchObject({ kind: "broken", reason: because("interface_foreign", { interface: "ov3" }) });
  expect(it.machine.started).toEqual([]);
});

test("one that dies again and again is broken, with its last words as the reason", async () => {
  using it = machineWithClients();
  for (let crashes = 0; crashes < 3; crashes += 1) {
    expect(await it.want(client)).toEqual(["child"]);
    it.machine.die(it.machine.alive()[0]!.processId, "Cannot load CA certificate file\n");
    await it.engine.observe();
    it.pass(20_000);
  }
  expect(it.state()).toMatchObject({ kind: "broken", reason: reported("Cannot load CA certificate file") });
});

test("an assigned address that is reserved is refused once, and the next one that is not is set", async () => {
  using it = machineWithClients();
  await it.want(client);
  it.appear();
  const connectedWith = (address: string, at: number) =>
    it.say(`>STATE:${at},CONNECTED,SUCCESS,${address},203.0.113.1,1194,,`);
  connectedWith("10.66.9.2", 1);
  expect(await it.want(client)).toEqual(["configure"]);
  expect(it.link()).toEqual({ up: false, mtu: 1400, addresses: [] });
  const owner = because("owner_resolver");
  const reason = because("openvpn_taken_address", { address: "10.66.9.2", owner, network: "10.66.9.0/24" });
  expect(it.state()).toMatchObject({ kind: "broken", reason });
  connectedWith("10.66.9.2", 2);
  await it.want(client);
  expect(it.refusals()).toEqual(["ov3: The server assigned 10.66.9.2, which belongs to a resolver (10.66.9.0/24)"]);
  connectedWith("10.66.1.2", 3);
  await it.want(client);
  expect(it.state().kind).toBe("ready");
  expect(it.link()).toMatchObject({ up: true, addresses: ["10.66.1.2/32"] });
});

test("what another program changes on the link is drift, another address after a reconnect is not", async () => {
  using it = machineWithClients();
  await it.want(client);
  it.appear();
  it.say(connectedLine);
  await it.want(client);
  const drift = async () => {
    const actual = await it.engine.observe();
    return it.engine.drift(it.engine.changes([client], actual), actual);
  };
  it.link().addresses.push("10.9.9.9/8");
  it.link().up = false;
  expect(await drift()).toEqual([
    { resource: "ov3", field: "address", expected: null, actual: "10.9.9.9/8" },
    { resource: "ov3", field: "link", expected: "up", actual: "down" },
  ]);
  await it.want(client);
  it.say(">STATE:1794732712,CONNECTED,SUCCESS,10.66.1.3,203.0.113.1,1194,,");
  expect(await drift()).toEqual([]);
  expect(await it.want(client)).toEqual(["configure"]);
  expect(it.link().addresses).toEqual(["10.66.1.3/32"]);
});
