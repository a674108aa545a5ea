import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { fakeMachine } from "../../../../testing/processes.ts";
import type { System } from "../../system/system.ts";
import { supervisor } from "../supervisor/supervisor.ts";
import { wireguard } from "./wireguard.engine.ts";
import type { WireguardLink } from "./wireguard.model.ts";

const link: WireguardLink = {
  interface: "wg7",
  privateKey: "PRIVATE=",
  addresses: ["10.9.0.5/32"],
  mtu: 1380,
  listenPort: null,
  mark: 7,
  userId: 1_900_070_007,
  peers: [
    { publicKey: "PEER", presharedKey: null, endpoint: "192.0.2.1:1", allowedIps: ["0.0.0.0/0"], keepaliveSec: 5 },
  ],
};

/** A machine whose kernel knows WireGuard, or does not, and then has a program that does. */
function machineWith(kernelCan: boolean) {
  const machine = fakeMachine();
  const links = new Map<string, { mtu: number; up: boolean; addresses: string[]; conf: string }>();
  const fresh = (name: string) => links.set(name, { mtu: 1420, up: false, addresses: [], conf: "" });
  const said: string[] = [];
  const value = (conf: string, key: string) => new RegExp(`^${key} = (.*)$`, "m").exec(conf)?.[1];
  function dump({ conf }: { conf: string }): string {
    const head = [value(conf, "PrivateKey") ?? "(none)", "PUBLIC=", "1000", value(conf, "FwMark") ?? "off"].join("\t");
    const endpoint = value(conf, "Endpoint");
    return endpoint ? `${head}\nPEER\t(none)\t${endpoint}\t0.0.0.0/0\t0\t0\t0\t5\n` : `${head}\n`;
  }
  const hex = (key: string) => Buffer.from(key, "base64").toString("hex");
  function answer({ conf }: { conf: string }): string[] {
    const [privateKey, endpoint] = [value(conf, "PrivateKey"), value(conf, "Endpoint")];
    return [
      ...(privateKey === undefined ? [] : [`private_key=${hex(privateKey)}`]),
      "listen_port=1000",
      `fwmark=${Number(value(conf, "FwMark") ?? 0)}`,
      ...(endpoint === undefined
        ? []
        : [
            `public_key=${hex("PEER")}`,
            `endpoint=${endpoint}`,
            "persistent_keepalive_interval=5",
            "allowed_ip=0.0.0.0/0",
          ]),
      "errno=0",
    ];
  }
  function ip(line: string): string {
    const [what, verb, ...rest] = line.split(" ");
    const name = rest[rest.indexOf("dev") + 1]!;
    const found = links.get(name)!;
    if (line.startsWith("link add")) {
      if (found) throw new Error("ip: RTNETLINK answers: File exists");
      if (!kernelCan) throw new Error("ip: Error: Unknown device type.");
      fresh(name);
    } else if (what === "tuntap") {
      fresh(name);
      machine.files.set(`/sys/class/net/${name}/owner`, `${rest.at(-1)}\n`);
    } else if (line.startsWith("link del")) {
      links.delete(name);
      machine.files.delete(`/sys/class/net/${name}/owner`);
    }
    if (what === "address" && verb === "add") found.addresses.push(rest[0]!);
    else if (line.endsWith("up")) found.up = true;
    else if (rest.includes("mtu")) found.mtu = Number(rest.at(-1));
    return "";
  }
  const listing = () =>
    [...links].map(([ifname, it]) => ({
      ifname,
      mtu: it.mtu,
      flags: it.up ? ["UP"] : [],
      addr_info: it.addresses.map((text) => ({ local: text.split("/")[0], prefixlen: Number(text.split("/")[1]) })),
    }));
  const system: System = {
    ...machine.system,
    connectUnix: (path, onLine) => ({
      write: (line) => {
        if (line === "") for (const it of answer(links.get(/([^/]+)\.sock$/.exec(path)![1]!)!)) onLine(it);
      },
      close: () => {},
    }),
    inMemory: async (text, use) => {
      machine.files.set("memory", text);
      return use("memory").finally(() => machine.files.delete("memory"));
    },
    run: async (command, args, { stdin = "" } = {}) => {
      if (command === "stat") return "666\n";
      if (command === "ln") {
        machine.files.set(args[2]!, "");
        return "";
      }
      if (command === "wg" && args[0] === "show") return dump(links.get(args[1]!)!);
      if (command === "wg") {
        said.push(args[0]!);
        links.get(args[1]!)!.conf = machine.files.get(args[2]!)!;
        return "";
      }
      if (args[0] === "-j") return JSON.stringify(listing());
      const lines = args[0] === "-batch" ? stdin.trim().split("\n") : [args.join(" ")];
      said.push(...lines.map((line) => line.split(" ").slice(0, 2).join(" ")));
      return lines.map(ip).join("");
    },
  };
  const kept = supervisor({ system, folder: "/run/children", nowMs: () => 0, onExit: () => {} });
  const engine = wireguard({ system, supervisor: kept, folder: "/run/wireguard", wallMs: () => 1_794_732_000_500 });
  async function want(...wanted: readonly WireguardLink[]): Promise<number> {
    const changes = engine.changes(wanted, await engine.observe());
    await engine.apply(changes);
    return changes.length;
  }
  return { engine, machine, links, said, want, [Symbol.dispose]: () => kept.close() };
}

test("where the kernel knows WireGuard no program runs, and the link is whole before it is up", async () => {
  using it = machineWith(true);
  expect(await it.want(link)).toBe(1);
  expect(it.said).toEqual(["link add", "syncconf", "address add", "link set", "link set", "link set"]);
  expect(it.machine.started).toEqual([]);
  expect(it.engine.states().get("wg7")).toMatchObject({
    kind: "ready",
    endpoint: "192.0.2.1:1",
    countedAtMs: 1_794_732_000_500,
  });
  expect(await it.want(link)).toBe(0);
  it.links.delete("wg7");
  expect(await it.want(link)).toBe(1);
  expect(it.engine.states().get("wg7")!.kind).toBe("ready");
  expect(await it.want()).toBe(1);
  expect([...it.links.keys()]).toEqual([]);
  expect([...it.machine.files.keys()]).toEqual([]);
});

test("where the kernel does not, that is found out once, and a program does it", async () => {
  using it = machineWith(false);
  await it.want(link);
  expect(it.machine.alive().map(({ words }) => words.slice(-3))).toEqual([["wireguard-go", "-f", "wg7"]]);
  expect(it.engine.states().get("wg7")!.kind).toBe("ready");
  await it.want(link, { ...link, interface: "wg8" });
  expect(it.machine.alive()).toHaveLength(2);
  expect(it.said.filter((said) => said === "link add")).toHaveLength(1);
  it.machine.files.set("/var/run/wireguard/wg7.sock", "");
  it.machine.files.set("/var/run/wireguard/theirs0.sock", "");
  await it.want();
  expect(it.machine.alive()).toEqual([]);
  // One that is killed cannot take its socket with it.
  expect([...it.machine.files.keys()].filter((path) => path.endsWith(".sock"))).toEqual([
    "/var/run/wireguard/theirs0.sock",
  ]);
});

test("an interface that Portcullis did not create is left alone", async () => {
  using it = machineWith(true);
  it.links.set("wg7", { mtu: 1500, up: true, addresses: [], conf: "" });
  expect(await it.want(link)).toBe(0);
  expect(it.engine.states().get("wg7")).toMatchObject({
    kind: "broken",
    reason: because("interface_foreign", { interface: "wg7" }),
  });
  expect(await it.want()).toBe(0);
  expect([...it.links.keys()]).toEqual(["wg7"]);
});

test("a program that is killed leaves its device, and the next one uses it", async () => {
  using it = machineWith(false);
  await it.want(link);
  const words = it.machine.alive()[0]!.words.join(" ");
  expect(words).toContain("bwrap");
  expect(words).toContain("--reuid 1900070007 ");
  expect(words).toContain("--inh-caps -all,+net_raw ");
  it.machine.die(it.machine.alive()[0]!.processId);
  await it.engine.observe();
  expect([...it.links.keys()]).toEqual(["wg7"]);
  expect(it.engine.states().get("wg7")!.kind).toBe("starting");
  expect(await it.want(link)).toBe(0); // It rests.
  await it.want();
  expect([...it.links.keys()]).toEqual([]);
});
