import type { ComponentType } from "react";
import type { IconName } from "../ui/icon.tsx";
import type { Needs } from "../api/session.tsx";
import type { Messages } from "../i18n/en/en.ts";

/** A page: its address, title and code, which is loaded when it is opened. */
export interface Entry {
  readonly path: string;
  /** Its page of the documentation, below /docs/. */
  readonly guide: string;
  readonly title: keyof Messages["shell"]["titles"];
  /** Absent: it is linked from another page, not from the menu. */
  readonly icon?: IconName;
  readonly group?: keyof Messages["shell"]["groups"];
  /** Hidden from roles without this permission. */
  readonly needs?: Needs;
  readonly load: () => Promise<ComponentType>;
}

/** Whether the address is that of the page, or of one below it. */
export const isAt = (path: string, page: string): boolean =>
  page === "/" ? path === "/" : path === page || path.startsWith(`${page}/`);

/** One line for each page. */
export const menu: readonly Entry[] = [
  {
    path: "/",
    guide: "guide/index.html",
    title: "home",
    icon: "home",
    group: "watch",
    load: async () => (await import("../pages/home/page.tsx")).HomePage,
  },
  {
    path: "/devices",
    guide: "guide/devices.html",
    title: "devices",
    icon: "devices",
    group: "watch",
    needs: ["devices", "list"],
    load: async () => (await import("../pages/devices/page.tsx")).DevicesPage,
  },
  {
    path: "/devices/:id",
    guide: "guide/devices.html",
    title: "device",
    needs: ["devices", "get"],
    load: async () => (await import("../pages/device/page.tsx")).DevicePage,
  },
  {
    path: "/privacy",
    guide: "guide/privacy.html",
    title: "privacy",
    icon: "privacy",
    group: "watch",
    needs: ["privacy", "leakMonitor"],
    load: async () => (await import("../pages/privacy/page.tsx")).PrivacyPage,
  },
  {
    path: "/dns",
    guide: "guide/dns.html",
    title: "dns",
    icon: "dns",
    group: "watch",
    load: async () => (await import("../pages/dns/page.tsx")).DnsPage,
  },
  {
    path: "/routing",
    guide: "guide/routing.html",
    title: "routing",
    icon: "routing",
    group: "steer",
    needs: ["routing", "list"],
    load: async () => (await import("../pages/routing/page.tsx")).RoutingPage,
  },
  {
    path: "/changes",
    guide: "guide/snapshots.html",
    title: "changes",
    icon: "changes",
    group: "steer",
    needs: ["changes", "show"],
    load: async () => (await import("../pages/changes/page.tsx")).ChangesPage,
  },
  {
    path: "/tunnels",
    guide: "guide/tunnels.html",
    title: "tunnels",
    icon: "tunnels",
    group: "steer",
    needs: ["tunnels", "list"],
    load: async () => (await import("../pages/tunnels/page.tsx")).TunnelsPage,
  },
  {
    path: "/proxies",
    guide: "guide/proxies.html",
    title: "proxies",
    icon: "proxies",
    group: "steer",
    needs: ["proxies", "list"],
    load: async () => (await import("../pages/proxies/page.tsx")).ProxiesPage,
  },
  {
    path: "/splitting",
    guide: "guide/splitting.html",
    title: "splitting",
    icon: "splitting",
    group: "steer",
    needs: ["splitting", "status"],
    load: async () => (await import("../pages/splitting/page.tsx")).SplittingPage,
  },
  {
    path: "/bridges",
    guide: "guide/bridges.html",
    title: "bridges",
    icon: "bridges",
    group: "steer",
    needs: ["bridges", "list"],
    load: async () => (await import("../pages/bridges/page.tsx")).BridgesPage,
  },
  {
    path: "/network",
    guide: "guide/uplinks.html",
    title: "network",
    icon: "network",
    group: "manage",
    needs: ["uplinks", "get"],
    load: async () => (await import("../pages/network/page.tsx")).NetworkPage,
  },
  {
    path: "/alerts",
    guide: "guide/alerts.html",
    title: "alerts",
    icon: "alerts",
    group: "manage",
    needs: ["alerts", "list"],
    load: async () => (await import("../pages/alerts/page.tsx")).AlertsPage,
  },
  {
    path: "/anomalies",
    guide: "guide/anomalies.html",
    title: "anomalies",
    icon: "anomalies",
    group: "manage",
    needs: ["anomalies", "list"],
    load: async () => (await import("../pages/anomalies/page.tsx")).AnomaliesPage,
  },
  {
    path: "/captures",
    guide: "guide/captures.html",
    title: "captures",
    icon: "captures",
    group: "manage",
    needs: ["captures", "list"],
    load: async () => (await import("../pages/captures/page.tsx")).CapturesPage,
  },
  {
    path: "/audit",
    guide: "guide/events.html",
    title: "audit",
    icon: "audit",
    group: "manage",
    needs: ["audit", "list"],
    load: async () => (await import("../pages/audit/page.tsx")).AuditPage,
  },
  {
    path: "/settings",
    guide: "guide/configuration.html",
    title: "settings",
    icon: "settings",
    group: "manage",
    needs: ["settings", "list"],
    load: async () => (await import("../pages/settings/page.tsx")).SettingsPage,
  },
  {
    path: "/access",
    guide: "guide/access.html",
    title: "access",
    icon: "access",
    group: "manage",
    needs: ["auth", "keys"],
    load: async () => (await import("../pages/access/page.tsx")).AccessPage,
  },
  {
    path: "/start",
    guide: "guide/web.html#first-start-and-sign-in",
    title: "start",
    load: async () => (await import("../pages/start/page.tsx")).StartPage,
  },
];
