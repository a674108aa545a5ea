import type { Messages } from "../en/en.ts";

const reasons = {
  default_route: "die Standardroute führt darüber",
  configured: "wie konfiguriert",
  only_other: "der einzige andere Port",
  address: "er hat eine Adresse",
  link: "er ist verbunden",
  first: "der erste verwendbare",
  none: "",
};

export const setup: Messages["setup"] = {
  ports: "Ports dieses Rechners",
  roles: { wan: "Internet", lan: "LAN", unused: "Unbenutzt" },
  proposal: (wan, lan, { wan: w, lan: l }) => {
    const because = (it: typeof w, name: string | null) =>
      name !== null && name === it.interface && reasons[it.reason] !== "" ? ` (${reasons[it.reason]})` : "";
    return `Internet: ${wan ?? "noch kein Port"}${because(w, wan)}. LAN: ${lan ?? "noch kein Port"}${because(l, lan)}.`;
  },
  tooFew: (port) =>
    `${port === undefined ? "Dieser Rechner hat keinen verwendbaren Port" : `Dieser Rechner hat nur einen verwendbaren Port, ${port}`}. Ein Gateway braucht einen zum Internet und einen zu Ihren Geräten: eine zweite Netzwerkkarte, einen USB-Adapter oder ein VLAN an einem Switch, der das unterstützt. Die Liste aktualisiert sich von selbst.`,
  link: "Verbunden",
  noLink: "Keine Verbindung",
  noAddress: "keine Adresse",
  leadsTo: (hop) => `Standardgateway ${hop}`,
  bytes: (received, sent) => `${received} empfangen, ${sent} gesendet`,
  rate: (received, sent) => `jetzt ${received} ein, ${sent} aus`,
  address: "Adresse des Gateways im LAN",
  addressHint: "Eine private IPv4-Adresse mit der Länge ihres Netzes. Das Gateway setzt sie bei jedem Start.",
  dhcp: "Adressen im LAN vergeben (DHCP)",
  dhcpHint: "Geräte im LAN erhalten eine Adresse und nutzen dieses Gateway für Internetzugang und DNS.",
  dhcpExisting: "Dieser Port hat bereits eine Adresse. Nur einschalten, wenn im LAN kein anderer DHCP-Server läuft.",
  unmatched: "Geräte, auf die keine Richtlinie zutrifft",
  egress: {
    direct: { label: "Direkt", hint: "Internetzugang ohne VPN, bis eine Richtlinie auf das Gerät zutrifft." },
    block: { label: "Blockiert", hint: "Kein Internetzugang, bis eine Richtlinie auf das Gerät zutrifft." },
  },
  webOnLan: "Weboberfläche im LAN öffnen",
  webOnLanHint: "Mit TLS. Sie brauchen sie, um die Einrichtung von einem Gerät im LAN zu bestätigen.",
  webIsLocal:
    'Die Weboberfläche ist nur auf diesem Rechner erreichbar, und eine Sitzung ohne TLS kann das nicht ändern. Führen Sie auf dem Rechner `sudo portcullis setup` aus, um sie im LAN zu öffnen, oder bestätigen Sie in einer neuen SSH-Sitzung mit `portcullis confirm "eine neue SSH-Verbindung funktioniert"`.',
  keepPort: (port, wan) => `Port ${port} an ${wan} erreichbar lassen`,
  keepPortHint:
    "Ihr Browser ist über den Internet-Port verbunden, den das Gateway schließt. Sonst machen Sie auf einem Gerät im LAN weiter.",
  plan: "Was geschehen wird",
  fileStays: (file) => `${file} bleibt, wie sie ist.`,
  fileChanges: (file) => `In ${file}, alle anderen Zeilen bleiben:`,
  setsAddress: (address, lan) => `Das Gateway setzt ${address} auf ${lan}, jetzt und bei jedem Start.`,
  keepsAddress: (address, lan) => `${lan} behält die Adresse ${address}.`,
  leases: (first, last, lan) => `DHCP vergibt ${first} bis ${last} auf ${lan}.`,
  noLeases: (lan) => `Auf ${lan} werden keine Adressen vergeben.`,
  webAt: (address) => `Vom LAN aus ist die Weboberfläche unter ${address} erreichbar.`,
  enforces:
    "Der Daemon startet neu und setzt die Regeln durch: Der Internet-Port nimmt dann nur noch die Ports an, die dort offen bleiben.",
  confirmWithin: (time) =>
    `Wenn Sie nicht innerhalb von ${time} bestätigen, werden alle Regeln und Adressen wieder entfernt.`,
  noConfirmation: "Keine Bestätigung nötig (dataplane.confirm_first_sec ist 0).",
  apply: (time) => (time === "" ? "Anwenden" : `${time} testen`),
  nothingYet: "Vorher wird nichts geändert.",
  roleMissing: "Wählen Sie einen Port für das Internet und einen für das LAN.",
  forAdmins: "Nur ein Administrator kann das Netzwerk dieses Rechners einrichten.",
  starting: "Das Gateway startet mit den neuen Einstellungen. Das dauert einige Sekunden.",
  notEnforced: "Die Konfiguration ist geschrieben, aber noch wird nichts durchgesetzt.",
  reverted: "Die Einrichtung wurde nicht rechtzeitig bestätigt: Alle Regeln und Adressen wurden entfernt.",
  trial: "Bestätigen Sie, dass Sie das Gateway noch erreichen",
  timeLeft: "Verbleibende Zeit",
  trialText: (wan, lan) => `Die Regeln sind in Kraft. Internet: ${wan}, LAN: ${lan}.`,
  trialEnds:
    "Wenn diese Seite auf einem Gerät im LAN noch reagiert, bestätigen Sie. Ohne Bestätigung wird alles wieder entfernt.",
  confirm: "Bestätigen",
  undo: "Einrichtung rückgängig machen",
  undone: "Der Rechner ist wieder wie vor der Einrichtung",
  continueAt: "Machen Sie auf einem Gerät im LAN weiter unter",
  confirmOnConsole:
    "Die Weboberfläche ist vom LAN aus nicht erreichbar. Öffnen Sie eine neue SSH-Sitzung zum Gateway, und führen Sie portcullis confirm mit einer Begründung aus.",
  isConfirmed: "Die Einrichtung ist bestätigt und bleibt in Kraft.",
};
