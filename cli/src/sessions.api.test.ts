import { join } from "node:path";
import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { dnsLogIn, sampleAnswer } from "../../testing/dns-log.ts";
import { alertAt, folderWith } from "../../testing/earlier-state.ts";
import { startGateway, type TestGateway } from "../../testing/gateway.ts";
import { peerKey } from "../../testing/tunnels.ts";
import { targetOf } from "./address.ts";
import { run } from "./run.ts";
import { followTo, sendTo } from "./send.ts";
import { Unreachable } from "./failure.ts";

/** Sessions of a person at a terminal of 80 columns, with a whole gateway. Each was read before it was stored. */

const now = new Date("2026-10-01T12:00:00Z");
const screen = { columns: 80, colors: false, timeZone: "UTC" };

const tunnelFile = `[Interface]
PrivateKey = eFx3eFN6a3Rva2V5Zm9ydGVzdHNvbmx5MTIzNDU2Nzg=
Address = 10.2.0.2/32
DNS = 10.2.0.1

[Peer]
PublicKey = ${peerKey}
Endpoint = 192.0.2.1:51820
AllowedIPs = 0.0.0.0/0, ::/0
`;

/** Types commands, and keeps them with what the terminal shows. */
function terminalAt({ origin }: TestGateway, onWait: () => Promise<void> = () => Promise.reject(new Error("no wait"))) {
  const target = targetOf(origin, () => false);
  const access = { key: undefined, judge: () => {} };
  const transcript: string[] = [];
  const type = async (...words: string[]) => {
    let printed = "";
    const { out, complaint } = await run(words, {
      send: sendTo(target, access),
      follow: followTo(target, access),
      receive: () => Promise.reject(new Error("no file is received here")),
      printBytes: () => {},
      print: (text) => void (printed += text),
      screen,
      now: () => now,
      waitForNext: onWait,
      login: () => Promise.reject(new Error("there is no login")),
      logout: () => "",
      setup: async () => ({ out: "" }),
      isFile: () => false,
      readFile: async () => Buffer.from(tunnelFile),
      readStdin: () => Promise.reject(new Error("there is no standard input")),
    });
    const typed = words.map((word) => (/^[\w.,:/=-]+$/.test(word) ? word : `"${word}"`)).join(" ");
    transcript.push(`$ portcullis ${typed}\n${printed}${out}${complaint?.text ?? ""}`);
    return printed + out;
  };
  return { type, shown: () => normalized(transcript.join("\n")) };
}

/** Ids and versions differ from run to run. */
const normalized = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "01000000-0000-7000-8000-000000000000")
    .replace(/^(?!0000)[0-9a-f]{8}(?= )/gm, "1a2b3c4d")
    .replace(/Portcullis \d+\.\d+\.\d+/g, "Portcullis 0.0.0")
    .replace(/up \d+ s\b/g, "up 5 s");

/** A gateway at home: three devices, two of them in a group, and two tunnels. */
async function home(folder?: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway({ now: () => now, ...folder });
  const { client } = gateway;
  const tunnel = { addresses: ["10.2.0.2/32"], peers: [{ public_key: peerKey, endpoint: "192.0.2.1:51820" }] };
  for (const name of ["Amsterdam", "Zurich"])
    await client.tunnels.create({ body: { name, type: "wireguard", config: tunnel } });
  const strict = await client.privacyClasses.create({ body: { name: "strict", require_tunnel: true } });
  for (const [at, name] of ["Kitchen TV", "Laptop", "Printer"].entries())
    await client.devices.create({
      body: {
        name,
        mac: `02:00:00:00:00:0${at + 1}`,
        ips: [`192.168.1.2${at}`],
        ...(name === "Laptop" && { privacy_class: strict.id }),
      },
    });
  return gateway;
}

const golden = (name: string): string => `golden/${name}.txt`;

test("session: the state of the gateway, and its devices", async () => {
  await using gateway = await home();
  const { type, shown } = terminalAt(gateway);
  await type("status");
  await type("devices");
  await type("tunnels");
  await expect(shown()).toMatchFileSnapshot(golden("status"));
});

test("session: a device is protected by a tunnel, and the change is confirmed", async () => {
  await using gateway = await home();
  const { type, shown } = terminalAt(gateway);
  await type("protect", "Kitchen TV", "--via", "Amsterdam");
  await type("changes");
  await type("changes", "confirm");
  await type("protect", "Kitchen TV", "--via", "Amsterdam");
  await type("protect", "Kitchen TV", "--via", "Zurich", "--fail-open");
  await type("changes", "revert");
  await type("policies");
  await type("protect", "Kitchen TV", "--via", "Zurich", "--fail-open", "--keep");
  await expect(shown()).toMatchFileSnapshot(golden("protect"));
});

test("session: why a device is blocked, and what is decided about a destination", async () => {
  await using gateway = await home();
  const { client } = gateway;
  await client.deviceGroups.create({ body: { name: "Family", device_ids: ["Kitchen TV", "Laptop"] } });
  const hops = [{ type: "vpn", target: "Amsterdam" }] as const;
  await client.routing.create({
    body: {
      name: "Bank direct",
      source_type: "destination",
      source_value: "198.51.100.0/24",
      priority: 10,
      fail_policy: "fail-open",
    },
  });
  await client.routing.create({
    body: { name: "Family abroad", source_type: "device_group", source_value: "Family", hops: [...hops] },
  });
  await client.routing.apply();
  const { type, shown } = terminalAt(gateway);
  await type("why", "Kitchen TV");
  await type("why", "Kitchen TV", "198.51.100.7");
  await type("why", "Kitchen TV", "shop.example");
  await type("why", "Kitchn TV");
  await expect(shown()).toMatchFileSnapshot(golden("why"));
});

test("session: filtering is paused for ten minutes, and on again", async () => {
  await using gateway = await home();
  const { type, shown } = terminalAt(gateway);
  await type("pause", "10m");
  await type("pause", "30m", "--for", "Kitchen TV", "--protection");
  await type("pause", "active");
  await type("resume");
  await type("resume");
  await type("pause", "soon", "--for", "Laptop");
  await expect(shown()).toMatchFileSnapshot(golden("pause"));
});

test("session: a domain is blocked, and unblocked for one device", async () => {
  await using gateway = await home();
  const { type, shown } = terminalAt(gateway);
  await type("block", "shop.example");
  await type("unblock", "shop.example", "--for", "Kitchen TV");
  await type("allowlist");
  await type("unblock", "shop.example");
  await type("block", "video.example", "45m", "--for", "Laptop");
  await expect(shown()).toMatchFileSnapshot(golden("unblock"));
});

test("session: the DNS log is followed", async () => {
  const folder = folderWith({});
  const write = (answers: Parameters<ReturnType<typeof dnsLogIn>["write"]>[0]) => {
    const log = dnsLogIn(join(folder.path, "state"), { nowMs: () => now.getTime() });
    log.write(answers);
    log.close();
  };
  const at = (sec: number) => now.getTime() - 60_000 + sec * 1000;
  write([
    sampleAnswer(1, { atMs: at(0), client: "192.168.1.20", name: "www.example", verdict: "none" }),
    sampleAnswer(1, { atMs: at(1), client: "192.168.1.20", name: "ads.example", verdict: "block", rcode: 3 }),
    sampleAnswer(1, {
      atMs: at(2),
      client: "192.168.1.99",
      name: "a-very-long-name-of-a-server-in-a-content-network.cdn.example",
      type: 65,
      verdict: "none",
    }),
  ]);
  await using gateway = await home({ folder });
  let waits = 0;
  const { type, shown } = terminalAt(gateway, async () => {
    if (++waits === 2) throw new Unreachable("The gateway was stopped");
    write([sampleAnswer(1, { atMs: at(61), client: "192.168.1.21", name: "mail.example", verdict: "none" })]);
  });
  await type("dns", "log", "--follow");
  await type("dns", "log", "--client", "Kitchen TV", "--verdict", "block");
  await type("dns", "log", "--verdict", "blok");
  await expect(shown()).toMatchFileSnapshot(golden("dns-log"));
});

test("session: a tunnel is imported from a file", async () => {
  await using gateway = await startGateway({ now: () => now });
  const { type, shown } = terminalAt(gateway);
  await type("tunnels", "import", "amsterdam.conf", "--name", "Amsterdam");
  await type("tunnels", "import", "amsterdam.conf", "--name", "Amsterdam");
  await type("tunnels");
  await expect(shown()).toMatchFileSnapshot(golden("import"));
});

test("session: a staged policy is applied for a trial, and the state before is brought back", async () => {
  await using gateway = await home();
  const { type, shown } = terminalAt(gateway);
  await type(
    "policies",
    "create",
    "--name",
    "Laptop abroad",
    "--source-type",
    "device",
    "--source-value",
    "Laptop",
    "--hops",
    "type=vpn,target=Zurich",
  );
  await type("changes");
  await type("policies", "apply", "--confirm-within", "60");
  await type("changes", "confirm");
  await type("snapshots", "--limit", "3");
  await type("rollback", "7");
  await expect(shown()).toMatchFileSnapshot(golden("changes"));
});

test("session: alerts are listed and acknowledged", async () => {
  const nowMs = now.getTime();
  const leak = {
    ...alertAt(nowMs, 1, because("alert_drift", { first: "table inet portcullis", items: 2 })),
    severity: "critical" as const,
  };
  const folder = folderWith({
    alerts: [leak, alertAt(nowMs, 2, because("alert_drift", { first: "chain", items: 1 }))],
  });
  await using gateway = await startGateway({ now: () => now, folder });
  const { type, shown } = terminalAt(gateway);
  await type("alerts", "active");
  await type("alerts", "acknowledge", "00000001");
  await type("alerts", "list", "--severity", "critical");
  await type("alerts", "acknowledge", "0000000f");
  await expect(shown()).toMatchFileSnapshot(golden("alerts"));
});
