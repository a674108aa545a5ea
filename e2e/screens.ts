import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SampleData } from "./sample-data.ts";

/** A page of the interface with its tabs and dialogs. */
export interface Screen {
  readonly name: string;
  /** Name in the menu. */
  readonly route: string;
  /** Addresses of the page and its tabs. */
  readonly paths: readonly string[];
  /** Addresses that open a dialog on it. */
  readonly dialogs: readonly string[];
}

export const screens = ({ devices, tunnels, policy }: Known): readonly Screen[] => [
  screen("home", "/"),
  screen("devices", "/devices", { tabs: ["groups"], dialogs: ["?do=add"] }),
  {
    name: "device",
    route: "/devices/:id",
    paths: [`/devices/${devices.tv}`, `/devices/${devices.unknownDevice}`],
    dialogs: [
      ...["edit", "exception", "pause", "portal", "remove"].map((action) => `/devices/${devices.tv}?do=${action}`),
      `/devices/${devices.unknownDevice}?do=who`,
    ],
  },
  screen("privacy", "/privacy", { dialogs: ["?do=monitor"] }),
  screen("dns", "/dns", {
    tabs: ["log", "test", "rules", "services", "lists", "zones", "resolvers", "cache"],
    dialogs: [
      "?do=pause",
      ...["add", "catalogue"].map((action) => `?tab=lists&do=${action}`),
      ...["rule", "rewrite", "allow", "block", "schedule"].map((action) => `?tab=rules&do=${action}`),
      ...["zones", "resolvers"].map((tab) => `?tab=${tab}&do=add`),
    ],
  }),
  screen("routing", "/routing", {
    tabs: ["profiles", "explain"],
    dialogs: ["?do=add", `?open=${policy}`, "?tab=profiles&do=add"],
  }),
  screen("changes", "/changes"),
  screen("tunnels", "/tunnels", {
    dialogs: ["?do=import", "?do=make", `?open=${tunnels[0]}`, `?do=edit:${tunnels[0]}`],
  }),
  screen("proxies", "/proxies", { dialogs: ["?do=add"] }),
  screen("splitting", "/splitting", { dialogs: ["?do=add", "?do=activate"] }),
  screen("bridges", "/bridges", { dialogs: ["?do=add"] }),
  screen("network", "/network", {
    dialogs: ["?do=uplinks", "?do=dhcp", "?do=advertise", "?do=segment:lan0", "?do=vlan"],
  }),
  screen("alerts", "/alerts", { dialogs: ["?do=rule:tunnel-down", "?do=channel"] }),
  screen("anomalies", "/anomalies", { dialogs: ["?do=settings"] }),
  screen("audit", "/audit"),
  screen("settings", "/settings", { dialogs: ["?do=secret", "?do=passphrase", "?do=mqtt", "?do=pq-crypto"] }),
  screen("access", "/access", { dialogs: ["?do=add"] }),
  screen("start", "/start", { steps: ["network", "tunnel", "filters", "classes", "proof"] }),
];

/** The resources whose pages are opened. */
type Known = Pick<SampleData, "devices" | "tunnels" | "policy">;

/** The same without resources, for callers that need only the names. */
export const screenNames: readonly Pick<Screen, "name" | "dialogs">[] = screens({
  devices: {} as SampleData["devices"],
  tunnels: [],
  policy: "",
});

interface More {
  readonly tabs?: readonly string[];
  readonly steps?: readonly string[];
  readonly dialogs?: readonly string[];
}

function screen(name: string, route: string, { tabs = [], steps = [], dialogs = [] }: More = {}): Screen {
  return {
    name,
    route,
    paths: [route, ...tabs.map((tab) => `${route}?tab=${tab}`), ...steps.map((step) => `${route}?step=${step}`)],
    dialogs: dialogs.map((query) => `${route}${query}`),
  };
}

/** Routes and dialogs that the interface refers to, read from its sources. */
export function addressesInSource(): { readonly routes: readonly string[]; readonly dialogs: readonly string[] } {
  const text = (file: string) => readFileSync(resolve("web/src/shell", file), "utf8");
  return {
    routes: [...text("menu.ts").matchAll(/path: "([^"]+)"/g)].map(([, path]) => path!),
    dialogs: [...text("actions.ts").matchAll(/to: "([^"]+\bdo=[^"]+)"/g)].map(([, path]) => path!),
  };
}
