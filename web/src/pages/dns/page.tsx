import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { useSearchParam, useGo } from "../../ui/search-param.ts";
import { Tabs } from "../../ui/floating.tsx";
import { Page } from "../../ui/page.tsx";
import { type Needs, useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { dnsLink } from "./addresses.ts";
import { OverviewTab } from "./overview.tsx";
import "./dns.css";

const LogTab = lazy(async () => ({ default: (await import("./log.tsx")).LogTab }));
const TesterTab = lazy(async () => ({ default: (await import("./tester.tsx")).TesterTab }));
const RulesTab = lazy(async () => ({ default: (await import("./rules.tsx")).RulesTab }));
const ServicesTab = lazy(async () => ({ default: (await import("./services.tsx")).ServicesTab }));
const ListsTab = lazy(async () => ({ default: (await import("./lists.tsx")).ListsTab }));
const ZonesTab = lazy(async () => ({ default: (await import("./zones.tsx")).ZonesTab }));
const ResolversTab = lazy(async () => ({ default: (await import("./resolvers.tsx")).ResolversTab }));
const CacheTab = lazy(async () => ({ default: (await import("./cache.tsx")).CacheTab }));

const tabs = [
  { id: "overview", needs: ["dns", "status"], Content: OverviewTab },
  { id: "log", needs: ["dnsLog", "list"], Content: LogTab },
  { id: "test", needs: ["dns", "test"], Content: TesterTab },
  { id: "rules", needs: ["dnsFilterRules", "list"], Content: RulesTab },
  { id: "services", needs: ["dnsServices", "list"], Content: ServicesTab },
  { id: "lists", needs: ["dnsPresets", "list"], Content: ListsTab },
  { id: "zones", needs: ["dnsZones", "list"], Content: ZonesTab },
  { id: "resolvers", needs: ["dnsForwarders", "list"], Content: ResolversTab },
  { id: "cache", needs: ["dns", "cache"], Content: CacheTab },
] as const satisfies readonly { readonly id: string; readonly needs: Needs; readonly Content: ComponentType }[];

export function DnsPage() {
  const { shell, dns } = useTranslation();
  const [shown] = useSearchParam("tab", "overview");
  const [may, go] = [useMay(), useGo()];
  const offered = tabs.filter(({ needs }) => may(needs));
  return (
    <Page title={shell.titles.dns} subtitle={dns.subtitle}>
      <Tabs
        label={dns.tabsLabel}
        shown={shown}
        // Search parameters of one tab do not apply to another.
        onShow={(id) => id !== shown && go(dnsLink(id))}
        tabs={offered.map(({ id, Content }) => ({ id, label: dns.tabs[id], content: () => waiting(<Content />) }))}
      />
    </Page>
  );
}

const waiting = (content: ReactNode) => <Suspense fallback={<div className="skeleton" />}>{content}</Suspense>;
