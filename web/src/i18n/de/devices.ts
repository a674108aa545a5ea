import type { Messages } from "../en/en.ts";

const count = (number: number, one: string, many: string) => (number === 1 ? `1 ${one}` : `${number} ${many}`);

export const devices: Messages["devices"] = {
  subtitle: "Geräte in Ihrem Netz",
  tabs: { list: "Geräte", groups: "Gruppen und Klassen" },
  addDevice: "Gerät hinzufügen",
  none: "Noch keine bekannten Geräte. Identifizieren Sie ein Gerät im LAN, oder fügen Sie eines über seine MAC- oder IP-Adresse hinzu.",
  noMatch: "Kein Gerät passt.",
  showAll: "Alle anzeigen",
  listLabel: "Alle Geräte",
  countsLabel: "Geräte nach Zustand",
  export: "Exportieren",
  idle: "ruhig",
  online: "online",
  offline: "offline",
  isOnline: "Online",
  classes: "Klassen",
  groups: "Gruppen",
  bulk: {
    select: "Auswählen",
    selectAll: "Alle aufgeführten Geräte auswählen",
    selectOne: (name) => `${name} auswählen`,
    selected: (number) => `${number} ausgewählt`,
    exit: "Ausgang",
    group: "Zu Gruppe hinzufügen",
    block: "Blockieren",
    allow: "Zulassen",
    inGroup: (number, group) => `${count(number, "Gerät", "Geräte")} zu ${group} hinzugefügt`,
    blocked: (number) => `${count(number, "Gerät ist", "Geräte sind")} in Quarantäne`,
    allowed: (number) => `${count(number, "Gerät ist", "Geräte sind")} bekannt`,
    stopped: (done, all, problem) => `${done} von ${all} Geräten wurden geändert. ${problem}`,
  },
  states: { known: "Bekannt", new: "Neu", quarantined: "In Quarantäne" },
  columns: {
    name: "Gerät",
    group: "Gruppe",
    exit: "Ausgang",
    state: "Zustand",
    seen: "Zuletzt gesehen",
    rate: "Aktuelle Rate",
    today: "Heute",
  },
  filters: {
    text: "Geräte suchen",
    textExample: "Name, Adresse, MAC oder Hostname",
    class: "Klasse",
    group: "Gruppe",
    any: "Alle",
  },
  unknown: {
    title: (number) => (number === 1 ? "1 unbekanntes Gerät im LAN" : `${number} unbekannte Geräte im LAN`),
    seen: "gesehen",
    identify: "Identifizieren",
    more: (number) => `${number} weitere anzeigen`,
    wantsIn: (name) => `${name} möchte sich verbinden`,
    effects:
      "Zulassen: ein bekanntes Gerät wie jedes andere. Gast: in der Gruppe guest, deren Richtlinien und DNS-Regeln gelten. Blockieren: in Quarantäne.",
    allow: "Zulassen",
    guest: "Gast",
    block: "Blockieren",
    allowed: (name) => `${name} ist ein bekanntes Gerät`,
    isGuest: (name) => `${name} ist in der Gruppe guest`,
    blocked: (name) => `${name} ist in Quarantäne`,
    randomMac: "zufällige MAC-Adresse",
    sources: { dhcp: "DHCP", lease: "DHCP-Lease", mdns: "mDNS", ssdp: "SSDP" },
    link: "Gerät zuordnen",
    linkTitle: (mac) => `${mac} ist ein bekanntes Gerät`,
    linkEffect:
      "Das Gerät erhält diese MAC-Adresse statt seiner bisherigen. Seine Richtlinien, Klassen und DNS-Regeln gelten dann für diese.",
    linkDevice: "Bekanntes Gerät",
    choose: "Gerät auswählen",
    sameHostname: (name) => `${name} (gleicher Hostname)`,
    linked: (name) => `${name} hat die neue MAC-Adresse`,
  },
  newDevices: {
    title: (number) => (number === 1 ? "1 neues Gerät" : `${number} neue Geräte`),
    all: "Alle neuen Geräte anzeigen",
    who: "Identifizieren",
    put: "Zuordnen",
    putInto: (name) => `${name} einer Klasse oder Gruppe zuordnen`,
    since: "zuerst gesehen",
  },
  menu: {
    known: "Als bekannt markieren",
    quarantine: "In Quarantäne setzen",
    release: "Quarantäne beenden",
    remove: "Entfernen",
    privacy: (name) => `Datenschutz: ${name}`,
    trust: (name) => `Vertrauen: ${name}`,
    group: (name) => `Gruppe: ${name}`,
  },
  done: {
    inClass: (device, name) => `${device} ist in Klasse ${name}`,
    inGroup: (device, name) => `${device} ist in Gruppe ${name}`,
    outOf: (device, name) => `${device} ist nicht mehr in ${name}`,
    quarantined: (device) => `${device} ist in Quarantäne`,
    released: (device) => `${device} ist nicht mehr in Quarantäne`,
    known: (device) => `${device} ist bekannt`,
  },
  form: {
    add: "Gerät hinzufügen",
    edit: (name) => `${name} bearbeiten`,
    who: "Gerät identifizieren",
    known: "Speichern",
    saved: (name) => `${name} gespeichert`,
    added: (name) => `${name} hinzugefügt`,
    name: "Name",
    nameExample: "Fernseher Küche",
    mac: "MAC",
    hostname: "Hostname",
    vendor: "Hersteller",
    addresses: "IP-Adressen",
    addressesHint: (number) =>
      number === 0
        ? "Durch Kommas getrennt. Ohne MAC-Adresse wird das Gerät nur an diesen Adressen erkannt."
        : count(number, "Adresse", "Adressen"),
    trust: "Vertrauensklasse",
    privacy: "Datenschutzklasse",
    profile: "Profil",
    groups: "Gruppen",
    notes: "Notizen",
    none: "Keine",
  },
  removal: {
    title: (name) => `${name} entfernen`,
    effect: (name) =>
      `${name} wird mit Klassen und Gruppen gelöscht. Ist das Gerät noch verbunden, erscheint es wieder als neues Gerät.`,
    policies: (number, names) =>
      number === 1
        ? `Richtlinie ${names} trifft dann auf kein Gerät mehr zu.`
        : `${number} Richtlinien treffen dann auf kein Gerät mehr zu: ${names}.`,
    names: (number) =>
      number === 1
        ? "1 DNS-Eintrag gilt nur für dieses Gerät und muss zuerst entfernt werden."
        : `${number} DNS-Einträge gelten nur für dieses Gerät und müssen zuerst entfernt werden.`,
    wasQuarantined: "Das Gerät ist in Quarantäne. Erscheint es wieder, ist es das nicht mehr.",
    action: "Gerät entfernen",
    done: (name) => `${name} entfernt`,
  },
  belongings: {
    name: "Name",
    description: "Beschreibung",
    members: "Geräte",
    remove: "Entfernen",
    removeTitle: (name) => `${name} entfernen`,
    removed: (name) => `${name} entfernt`,
    editTitle: (name) => `${name} bearbeiten`,
    unused: "Wird nicht verwendet.",
    users: {
      devices: (number) => count(number, "Gerät", "Geräte"),
      trust_classes: (number) => count(number, "Vertrauensklasse", "Vertrauensklassen"),
    },
    otherUsers: (number, kind) => `${number} × ${kind}`,
    stillUsed: (parts) =>
      `Verwendet von: ${parts.join(", ")}. Entfernen ist möglich, sobald diese etwas anderes verwenden.`,
    groups: {
      title: "Gruppen",
      add: "Gruppe hinzufügen",
      none: "Noch keine Gruppen. Eine Richtlinie oder DNS-Regel für eine Gruppe gilt für mehrere Geräte: eines Orts, einer Person oder eines Zwecks.",
      leave: (number) =>
        number === 0
          ? "Die Gruppe hat keine Geräte."
          : `${count(number, "Gerät verlässt", "Geräte verlassen")} die Gruppe.`,
      policies: (number, names) =>
        number === 1
          ? `Richtlinie ${names} trifft dann auf kein Gerät mehr zu.`
          : `${number} Richtlinien treffen dann auf kein Gerät mehr zu: ${names}.`,
    },
    trust: {
      title: "Vertrauensklassen",
      add: "Vertrauensklasse hinzufügen",
      none: "Noch keine Vertrauensklassen. Eine Vertrauensklasse hat eine Vertrauensstufe und eine voreingestellte Datenschutzklasse.",
      level: "Vertrauensstufe",
      levelHint: "0: nicht vertrauenswürdig, 100: eigenes Gerät.",
      privacy: "Voreingestellte Datenschutzklasse",
      privacyHint: "Gilt für Geräte ohne eigene Datenschutzklasse.",
      profile: "Voreingestelltes Profil",
    },
    privacy: {
      title: "Datenschutzklassen",
      add: "Datenschutzklasse hinzufügen",
      none: "Noch keine Datenschutzklassen. Eine Datenschutzklasse beschränkt, was ein Gerät senden darf, unabhängig vom Pfad.",
      demands: "Anforderungen",
      fail: "Bei Ausfall eines Hops",
      fails: { "fail-closed": "Blockieren", "fail-open": "Direkt", "fail-over": "Nächste Richtlinie" },
      dnsMode: "DNS-Server",
      dnsModes: { system: "Immer das Gateway", device: "Vom Gerät gewählt", off: "Unbehandelt" },
      dnsModeHints: {
        system: "Jede Abfrage auf Port 53 beantwortet das Gateway, unabhängig vom Ziel.",
        device: "Das Gerät darf jeden Resolver verwenden, sofern sein DNS nicht zum Gateway umgeleitet wird.",
        off: "Abfragen an andere Resolver werden weitergeleitet, auch wenn DNS zum Gateway umgeleitet wird.",
      },
      forceRests: {
        system: "Immer an: Das Gateway beantwortet alle Abfragen.",
        off: "Inaktiv: Abfragen bleiben unbehandelt.",
      },
      log: "Protokollierung",
      logs: { full: "Alle Domains", counts: "Nur Anzahl", none: "Nichts" },
      short: {
        require_tunnel: "VPN erforderlich",
        force_dns: "DNS umgeleitet",
        block_doh: "keine Umgehung per DoH/DoT",
        block_webrtc: "kein STUN",
        block_ipv6: "kein IPv6",
      },
      long: {
        require_tunnel: "VPN erzwingen",
        force_dns: "DNS zum Gateway umleiten",
        block_doh: "Umgehung per DNS-over-HTTPS blockieren",
        block_webrtc: "WebRTC-Lecks (STUN) blockieren",
        block_ipv6: "IPv6 blockieren",
      },
      hints: {
        require_tunnel: "Blockiert, wenn keine Richtlinie das Gerät über einen Tunnel leitet.",
        force_dns: "Das Gateway beantwortet jede Abfrage auf Port 53, unabhängig vom Ziel.",
        block_doh: "Bekannte DoH- und DoT-Resolver werden blockiert, damit Apps die Filter nicht umgehen.",
        block_webrtc: "STUN verrät Webseiten die echte Adresse.",
        block_ipv6: "Für Pfade, die nur IPv4 unterstützen.",
      },
    },
  },
};
