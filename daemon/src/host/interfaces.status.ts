import { Problem } from "@portcullis/contract/problem";
import { parseInterfaces, type ShownInterface } from "../engines/iproute/interfaces.parse.ts";
import type { SeenInterface } from "../subsystems/interfaces/interfaces.service.ts";
import { type LinkHardware, readHardware } from "../system/network.ts";
import type { System } from "../system/system.ts";

/** The machine's interfaces in the fields of the contract. Concurrent calls share one reading. */
export function interfaceStatus(system: Pick<System, "run">, now: () => Date): () => Promise<readonly SeenInterface[]> {
  let reading: Promise<readonly SeenInterface[]> | undefined;
  return () => (reading ??= readInterfaces(system, now).finally(() => (reading = undefined)));
}

async function readInterfaces(system: Pick<System, "run">, now: () => Date): Promise<readonly SeenInterface[]> {
  const [[links = "", v4 = ""], v6] = await Promise.all([
    system
      .run("ip", ["-j", "-s", "-d", "-batch", "-"], { stdin: "address show\nroute show default\n", timeoutMs })
      .then((text) => text.trim().split("\n")),
    system.run("ip", ["-6", "-j", "route", "show", "default"], { timeoutMs }),
  ]).catch(unavailable);
  const countedAt = now().toISOString();
  const shown = parseInterfaces({ links, v4, v6 });
  const hardware = await Promise.all(shown.map(({ name }) => readHardware(name)));
  return shown.map((it, index) => seen(it, hardware[index]!, countedAt));
}

const timeoutMs = 5000;

function unavailable(cause: unknown): never {
  throw new Problem(
    "engine_unavailable",
    { engine: "iproute" },
    { message: "ip cannot read the interfaces of the kernel", cause },
  );
}

const seen = (
  { received, sent, gateways, dynamic, ...it }: ShownInterface,
  { isWireless, speedMbps }: LinkHardware,
  countedAt: string,
): SeenInterface => ({
  ...it,
  addresses: [...it.addresses],
  dynamic_addresses: [...dynamic],
  kind: isWireless && it.kind === "ethernet" ? "wifi" : it.kind,
  // Drivers of tunnels report a speed without meaning.
  speed_mbps: it.kind === "tunnel" || !it.carrier ? null : speedMbps,
  rx_bytes: received.bytes,
  tx_bytes: sent.bytes,
  counters_at: countedAt,
  rx_dropped: received.dropped,
  tx_dropped: sent.dropped,
  default_gateway_v4: gateways.v4,
  default_gateway_v6: gateways.v6,
});
