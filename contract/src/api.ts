import { events } from "./events.ts";
import { alertChannels, alertDeliveries, alertWebhook, webPush } from "./subsystems/alert-channels.ts";
import { alerts } from "./subsystems/alerts.ts";
import { anomalies } from "./subsystems/anomalies.ts";
import { auth } from "./subsystems/auth.ts";
import { bridges } from "./subsystems/bridges.ts";
import { captive } from "./subsystems/captive.ts";
import { chains } from "./subsystems/chains.ts";
import { privacyClasses, trustClasses } from "./subsystems/classes.ts";
import { configuration } from "./subsystems/configuration.ts";
import { dhcp } from "./subsystems/dhcp.ts";
import { deviceGroups, devices } from "./subsystems/devices.ts";
import { dnsLog } from "./subsystems/dns-log.ts";
import { discovery } from "./subsystems/discovery.ts";
import { dns } from "./subsystems/dns.ts";
import { dnsAllowlist, dnsBlocklist, dnsFilterRules, dnsRewrites } from "./subsystems/dns-filters.ts";
import { dnsCatalog, dnsPresets, dnsThreatFeeds } from "./subsystems/dns-lists.ts";
import { dnsServices } from "./subsystems/dns-services.ts";
import { dnsExtfilter, dnsOptions } from "./subsystems/dns-settings.ts";
import { dnsForwarders, dnsRotation } from "./subsystems/dns-upstreams.ts";
import { dnsRecords, dnsZones } from "./subsystems/dns-zones.ts";
import { documents } from "./subsystems/documents.ts";
import { enforcement, firstEnforcement } from "./subsystems/enforcement.ts";
import { exceptions } from "./subsystems/exceptions.ts";
import { changes, snapshots } from "./subsystems/history.ts";
import { interfaces } from "./subsystems/interfaces.ts";
import { metrics } from "./subsystems/metrics.ts";
import { pauses } from "./subsystems/pauses.ts";
import { mqtt } from "./subsystems/mqtt.ts";
import { pqCrypto } from "./subsystems/pq-crypto.ts";
import { privacy } from "./subsystems/privacy.ts";
import { proxies, tproxy } from "./subsystems/proxies.ts";
import { audit, references } from "./subsystems/records.ts";
import { policyViews, profiles, routing } from "./subsystems/routing.ts";
import { routerAdvertisements } from "./subsystems/router-advertisements.ts";
import { schedules } from "./subsystems/schedules.ts";
import { secrets } from "./subsystems/secrets.ts";
import { segments } from "./subsystems/segments.ts";
import { settings } from "./subsystems/settings.ts";
import { setup } from "./subsystems/setup.ts";
import { splitting, splittingEndpoints } from "./subsystems/splitting.ts";
import { status } from "./subsystems/status.ts";
import { traffic } from "./subsystems/traffic.ts";
import { tunnels } from "./subsystems/tunnels.ts";
import { uplinks } from "./subsystems/uplinks.ts";
import { vlans } from "./subsystems/vlans.ts";

/** Every endpoint of the API, by subsystem. */
export const api = {
  auth,
  status,
  devices,
  discovery,
  deviceGroups,
  trustClasses,
  privacyClasses,
  routing,
  profiles,
  chains,
  bridges,
  splitting,
  splittingEndpoints,
  uplinks,
  interfaces,
  segments,
  vlans,
  dhcp,
  routerAdvertisements,
  exceptions,
  pauses,
  alerts,
  alertChannels,
  alertDeliveries,
  alertWebhook,
  webPush,
  mqtt,
  anomalies,
  metrics,
  privacy,
  captive,
  tunnels,
  proxies,
  tproxy,
  dns,
  dnsFilterRules,
  dnsServices,
  schedules,
  dnsAllowlist,
  dnsBlocklist,
  dnsRewrites,
  dnsZones,
  dnsRecords,
  dnsForwarders,
  dnsRotation,
  dnsPresets,
  dnsCatalog,
  dnsThreatFeeds,
  dnsOptions,
  dnsExtfilter,
  policyViews,
  enforcement,
  firstEnforcement,
  references,
  snapshots,
  changes,
  configuration,
  audit,
  dnsLog,
  traffic,
  settings,
  pqCrypto,
  setup,
  secrets,
  events,
  documents,
};
export type GatewayApi = typeof api;

export const basePath = "/api/v1";
