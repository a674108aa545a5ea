import { realpathSync, statSync } from "node:fs";
import { Problem } from "@portcullis/contract/problem";
import { isBeyondLoopback } from "../config/access-checks.ts";
import { parseBootstrap } from "../config/bootstrap.ts";
import { withValues } from "../config/edit.ts";
import { parseListenAddress } from "../config/formats.ts";
import type { Bootstrap } from "../config/keys.ts";
import { describeMistake } from "../config/mistake.ts";
import type { FileSettings } from "../subsystems/setup/plan.ts";
import type { ConfigurationFile } from "../subsystems/setup/setup.service.ts";
import type { System } from "../system/system.ts";

/** The file from which this daemon was configured, as the setup edits it. */
export function configurationFile(system: System, path: string): ConfigurationFile {
  const parsed = (text: string) => {
    const result = parseBootstrap(text, path);
    if (result.kind === "ok") return result;
    throw new Problem("conflict", {}, { message: result.mistakes.map(describeMistake).join("; ") });
  };
  return {
    path,
    read: () => {
      const text = system.readText(path) ?? "";
      const { bootstrap, given } = parsed(text);
      return { text, settings: settingsOf(bootstrap), given };
    },
    edited: (text, settings) => {
      const edited = withValues(text, settings);
      const result = settingsOf(parsed(edited).bootstrap);
      const wanted = { ...settingsOf(parsed(text).bootstrap), ...settings };
      if (JSON.stringify(result) === JSON.stringify(wanted)) return edited;
      throw new Problem("conflict", {}, { message: `${path} has a form that cannot be edited; edit it by hand` });
    },
    write: (text) => writeConfiguration(system, path, text),
    webAddress: (text, lanAddress) => {
      const { listen, tls } = parsed(text).bootstrap;
      if (!isBeyondLoopback(listen.api_addr)) return null;
      const { host, port } = parseListenAddress(listen.api_addr)!;
      const reached = ["0.0.0.0", "::"].includes(host) ? lanAddress?.replace(/\/.*$/, "") : host;
      if (reached === undefined) return null;
      return `${tls.enabled ? "https" : "http"}://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
    },
  };
}

/** The file behind a symbolic link, with its mode. */
export function writeConfiguration(system: System, path: string, text: string): void {
  try {
    system.writeAtomically(realpathSync(path), text, statSync(path).mode & 0o777);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new Problem("conflict", {}, { message: `${path} cannot be written (${reason}); nothing was changed` });
  }
}

export const settingsOf = ({ network, dataplane, listen }: Bootstrap): FileSettings => ({
  "network.wan_iface": network.wan_iface,
  "network.lan_iface": network.lan_iface,
  "network.lan_address": network.lan_address,
  "network.default_egress": network.default_egress,
  "network.uplink_ports": network.uplink_ports,
  "dataplane.enabled": dataplane.enabled,
  "listen.api_addr": listen.api_addr,
});
