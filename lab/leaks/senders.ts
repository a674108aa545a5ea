import type { Host } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";

/** A packet of a host on the gateway's wire. Without a port it is an echo request. */
export interface Forged {
  readonly from: string;
  readonly to: string;
  readonly port?: number;
  readonly fromPort?: number;
  readonly hops?: number;
  /** Its DSCP, which identifies it wherever it arrives. */
  readonly sign: number;
}

/** A program on the gateway that sends datagrams. Outside they are known by its name. */
export interface Program {
  readonly name: string;
  readonly user?: number;
  readonly mark?: number;
  readonly from?: string;
  readonly to: string;
  readonly port: number;
}

export async function startExternalSender(
  host: Host,
  gateway: Host,
): Promise<(all: readonly Forged[]) => Promise<void>> {
  const macOf = async (on: Host, name: string) => (await on.run("cat", `/sys/class/net/${name}/address`)).trim();
  const me = { interface: "from-gw", mac: await macOf(host, "from-gw"), gatewayMac: await macOf(gateway, "wan0") };
  const script = await startJsonScript(host, "leaks/external-sender.py", JSON.stringify(me));
  return async (all) => void (await script.request(JSON.stringify(all)));
}

export async function startLocalSender(gateway: Host): Promise<(all: readonly Program[]) => Promise<void>> {
  const script = await startJsonScript(gateway, "leaks/local-sender.py");
  return async (all) => void (await script.request(JSON.stringify(all)));
}
