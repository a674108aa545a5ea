import { access } from "./access.ts";
import { alerts } from "./alerts.ts";
import { anomalies } from "./anomalies.ts";
import { audit } from "./audit.ts";
import { bridges } from "./bridges.ts";
import { changes } from "./changes.ts";
import { device } from "./device.ts";
import { devices } from "./devices.ts";
import { dhcp } from "./dhcp.ts";
import { routerAdvertisements } from "./router-advertisements.ts";
import { segments } from "./segments.ts";
import { vlans } from "./vlans.ts";
import { dns } from "./dns.ts";
import { shell, ui, time } from "./shell.ts";
import { forms } from "./forms.ts";
import { home } from "./home.ts";
import { mqtt } from "./mqtt.ts";
import { network } from "./network.ts";
import { differences, domainActions, paths, removal, ribbon, staging } from "./components.ts";
import { pauses } from "./pauses.ts";
import { pqCrypto } from "./pq-crypto.ts";
import { privacy } from "./privacy.ts";
import { proxies } from "./proxies.ts";
import { reasons } from "./reasons.ts";
import { routing } from "./routing.ts";
import { settings } from "./settings.ts";
import { setup } from "./setup.ts";
import { signIn } from "./sign-in.ts";
import { splitting } from "./splitting.ts";
import { start } from "./start.ts";
import { tunnels } from "./tunnels.ts";

/** The English catalogue. Each page has its own file; every language has the same files. */
export const en = {
  time,
  ui,
  forms,
  shell,
  ribbon,
  differences,
  paths,
  staging,
  domainActions,
  removal,
  home,
  devices,
  device,
  pauses,
  privacy,
  routing,
  changes,
  tunnels,
  bridges,
  proxies,
  splitting,
  dhcp,
  routerAdvertisements,
  segments,
  vlans,
  dns,
  mqtt,
  pqCrypto,
  network,
  alerts,
  anomalies,
  audit,
  settings,
  access,
  setup,
  start,
  signIn,
  reasons,
};
export type Messages = typeof en;
