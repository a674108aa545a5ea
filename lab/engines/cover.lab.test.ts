import { expect, test } from "vitest";
import { coverEngine } from "../../daemon/src/engines/cover/cover.engine.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { bring } from "../loader.ts";
import { openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

test("padding leaves by its interface with its mark, at its rate, is counted, and ends", async () => {
  await using lab = openLab();
  const [gateway, far] = [await lab.host("gw"), await lab.host("far")];
  for (const [index, device] of ["wan0", "t1"].entries())
    await lab.cable(
      { host: gateway, device, addresses: [`192.0.${index + 2}.1/24`] },
      { host: far, device: `from-${device}`, addresses: [`192.0.${index + 2}.2/24`] },
    );
  // The gateway's own route to it is wan0; only the mark leads through t1.
  await far.run("ip", "address", "add", "203.0.113.5/32", "dev", "lo");
  await gateway.run("ip", "route", "add", "default", "via", "192.0.2.2");
  await gateway.run("ip", "rule", "add", "fwmark", "0x80000002/0x800000ff", "lookup", "7002");
  await gateway.run("ip", "route", "add", "default", "via", "192.0.3.2", "dev", "t1", "table", "7002");
  await systemOn(far).run("nft", ["-f", "-"], { stdin: watching });
  const counted = async (name: string) => {
    const text = await far.run("nft", "list", "counter", "inet", "watching", name);
    const [, packets, bytes] = /packets (\d+) bytes (\d+)/.exec(text)!;
    return { packets: Number(packets), bytes: Number(bytes) };
  };

  const engine = coverEngine({
    system: {
      ...systemOn(gateway),
      follow: (command, args, ...callbacks) =>
        linux.follow("ip", ["netns", "exec", gateway.namespace, command, ...args], ...callbacks),
    },
  });
  try {
    const stream = { name: "hum", interface: "t1", mark: 0x8000_0002, target: "203.0.113.5", bytesPerSec: 20_000 };
    expect(engine.changes([], await engine.observe())).toEqual([]); // Nothing unless it is wanted.
    const startedAt = performance.now();
    await bring(engine, [stream]);
    expect(engine.changes([stream], await engine.observe())).toEqual([]);
    await until("30 packets are answered", async () => (engine.states()[0]?.packetsAnswered ?? 0) >= 30);
    let [packets, bytes, sent] = [0, 0, 0];
    // Both are counted on, one after the other: they agree as soon as little time passes between the two.
    const agree = async () => {
      ({ packets, bytes } = await counted("t1"));
      sent = engine.states()[0]!.packetsSent;
      return Math.abs(sent - packets) <= 2;
    };
    await until("the engine has counted what was seen outside", agree);
    const seconds = (performance.now() - startedAt) / 1000;
    expect(engine.states()).toMatchObject([{ name: "hum" }]);
    expect(bytes).toBe(packets * 1200);
    expect(bytes / seconds).toBeLessThan(22_000);
    expect((await counted("wan")).packets).toBe(0);

    await bring(engine, []);
    expect(engine.states()).toEqual([]);
    const atEnd = await counted("t1");
    await gateway.run("ping", "-c", "1", "203.0.113.5");
    expect((await counted("wan")).packets).toBe(1); // It would be seen.
    expect((await counted("t1")).packets).toBeLessThanOrEqual(atEnd.packets + 2);
  } finally {
    engine.close();
  }
});

const watching = `table inet watching {
	counter wan { }
	counter t1 { }
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		icmp type echo-request iifname "from-wan0" counter name wan
		icmp type echo-request iifname "from-t1" counter name t1
	}
}
`;
