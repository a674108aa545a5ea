import type { Needs } from "../api/session.tsx";
import type { Messages } from "../i18n/en/en.ts";

/** Frequent actions, with the address that starts each. */
export const quickActions: readonly {
  readonly name: keyof Messages["shell"]["quickActions"];
  readonly to: string;
  readonly needs: Needs;
}[] = [
  { name: "importTunnel", to: "/tunnels?do=import", needs: ["tunnels", "importWireguard"] },
  { name: "addPolicy", to: "/routing?do=add", needs: ["routing", "create"] },
  { name: "explain", to: "/routing?tab=explain", needs: ["policyViews", "evaluate"] },
  { name: "addDevice", to: "/devices?do=add", needs: ["devices", "create"] },
  { name: "pause", to: "/dns?do=pause", needs: ["pauses", "create"] },
  { name: "checkLeaks", to: "/privacy", needs: ["privacy", "leakCheck"] },
  { name: "testName", to: "/dns?tab=test", needs: ["dns", "test"] },
  { name: "readLog", to: "/dns?tab=log", needs: ["dnsLog", "list"] },
  { name: "addList", to: "/dns?tab=lists&do=add", needs: ["dnsPresets", "create"] },
  { name: "reviewChanges", to: "/changes", needs: ["changes", "show"] },
  { name: "addKey", to: "/access?do=add", needs: ["auth", "createKey"] },
];
