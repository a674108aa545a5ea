import type { ComponentType } from "react";
import type { IconName } from "../ui/icon.tsx";
import type { Needs } from "../api/session.tsx";
import type { Messages } from "../i18n/en/en.ts";

/** A page: its address, title and code, which is loaded when it is opened. */
export interface Entry {
  readonly path: string;
  readonly title: keyof Messages["shell"]["titles"];
  /** Absent: it is linked from another page, not from the menu. */
  readonly icon?: IconName;
  readonly group?: keyof Messages["shell"]["groups"];
  /** Hidden from roles without this permission. */
  readonly needs?: Needs;
  readonly load: () => Promise<ComponentType>;
}

/** One line for each page. */
export const menu: readonly Entry[] = [
  {
    path: "/",
    title: "home",
    icon: "home",
    group: "watch",
    load: async () => (await import("../pages/home/page.tsx")).HomePage,
  },
  {
    path: "/devices",
    title: "devices",
    icon: "devices",
    group: "watch",
    needs: ["devices", "list"],
    load: async () => (await import("../pages/devices/page.tsx")).DevicesPage,
  },
  {
    path: "/devices/:id",
    title: "device",
    needs: ["devices", "get"],
    load: async () => (await import("../pages/device/page.tsx")).DevicePage,
  },
  {
    path: "/privacy",
    title: "privacy",
    icon: "privacy",
    group: "watch",
    needs: ["privacy", "leakMonitor"],
    load: async () => (await import("../pages/privacy/page.tsx")).PrivacyPage,
  },
  {
    path: "/dns",
    title: "dns",
    icon: "dns",
    group: "watch",
    load: async () => (await import("../pages/dns/page.tsx")).DnsPage,
  },
  {
    path: "/routing",
    title: "routing",
    icon: "routing",
    group: "steer",
    needs: ["routing", "list"],
    load: async () => (await import("../pages/routing/page.tsx")).RoutingPage,
  },
  {
    path: "/changes",
    title: "changes",
    icon: "changes",
    group: "steer",
    needs: ["changes", "show"],
    load: async () => (await import("../pages/changes/page.tsx")).ChangesPage,
  },
  {
    path: "/tunnels",
    title: "tunnels",
    icon: "tunnels",
    group: "steer",
    needs: ["tunnels", "list"],
    load: async () => (await import("../pages/tunnels/page.tsx")).TunnelsPage,
  },
  {
    path: "/proxies",
    title: "proxies",
    icon: "proxies",
    group: "steer",
    needs: ["proxies", "list"],
    load: async () => (await import("../pages/proxies/page.tsx")).ProxiesPage,
  },
  {
    path: "/splitting",
    title: "splitting",
    icon: "splitting",
    group: "steer",
    needs: ["splitting", "status"],
    load: async () => (await import("../pages/splitting/page.tsx")).SplittingPage,
  },
  {
    path: "/bridges",
    title: "bridges",
    icon: "bridges",
    group: "steer",
    needs: ["bridges", "list"],
    load: async () => (await import("../pages/bridges/page.tsx")).BridgesPage,
  },
  {
    path: "/network",
    title: "network",
    icon: "network",
    group: "manage",
    needs: ["uplinks", "get"],
    load: async () => (await import("../pages/network/page.tsx")).NetworkPage,
  },
  {
    path: "/audit",
    title: "audit",
    icon: "audit",
    group: "manage",
    needs: ["audit", "list"],
    load: async () => (await import("../pages/audit/page.tsx")).AuditPage,
  },
  {
    path: "/settings",
    title: "settings",
    icon: "settings",
    group: "manage",
    needs: ["settings", "list"],
    load: async () => (await import("../pages/settings/page.tsx")).SettingsPage,
  },
  {
    path: "/access",
    title: "access",
    icon: "access",
    group: "manage",
    needs: ["auth", "keys"],
    load: async () => (await import("../pages/access/page.tsx")).AccessPage,
  },
  { path: "/start", title: "start", load: async () => (await import("../pages/start/page.tsx")).StartPage },
];
