import type { Messages } from "../en/en.ts";

const count = (number: number, one: string, many: string) => (number === 1 ? `1 ${one}` : `${number} ${many}`);

export const devices: Messages["devices"] = {
  subtitle: "Was ist in meinem Netz?",
  tabs: { list: "Geräte", groups: "Gruppen und Klassen" },
  addDevice: "Gerät hinzufügen",
  none: "Noch ist kein Gerät bekannt. Ein Gerät im LAN zuordnen, oder eines mit seiner MAC- oder IP-Adresse hinzufügen.",
  noMatch: "Kein Gerät passt zur Suche.",
  showAll: "Alle zeigen",
  listLabel: "Alle Geräte",
  countsLabel: "Wie viele wie dastehen",
  moreAddresses: (number) => `+${number}`,
  states: { known: "Bekannt", new: "Neu", quarantined: "In Quarantäne" },
  columns: {
    name: "Gerät",
    path: "Weg",
    class: "Klasse",
    group: "Gruppe",
    addresses: "Adressen",
    seen: "Zuletzt gesehen",
  },
  filters: {
    text: "Finden",
    textExample: "Name, Adresse, MAC oder Hostname",
    class: "Klasse",
    group: "Gruppe",
    any: "Alle",
  },
  unknown: {
    title: (number) => (number === 1 ? "1 unbekanntes Gerät im LAN" : `${number} unbekannte Geräte im LAN`),
    seen: "gesehen",
    identify: "Zuordnen",
    more: (number) => `und ${number} weitere`,
  },
  newDevices: {
    title: (number) => (number === 1 ? "1 neues Gerät" : `${number} neue Geräte`),
    all: "Alle neuen zeigen",
    who: "Wer ist das?",
    put: "Einordnen",
    putInto: (name) => `${name} in eine Klasse oder Gruppe einordnen`,
    since: "zuerst gesehen",
  },
  menu: {
    known: "Als bekannt merken",
    quarantine: "In Quarantäne",
    release: "Quarantäne beenden",
    remove: "Entfernen",
    privacy: (name) => `Schutz: ${name}`,
    trust: (name) => `Vertrauen: ${name}`,
    group: (name) => `Gruppe: ${name}`,
  },
  done: {
    inClass: (device, name) => `${device} ist jetzt in der Klasse ${name}`,
    inGroup: (device, name) => `${device} ist jetzt in der Gruppe ${name}`,
    outOf: (device, name) => `${device} ist nicht mehr in ${name}`,
    quarantined: (device) => `${device} ist abgeschnitten`,
    released: (device) => `${device} ist nicht mehr abgeschnitten`,
    known: (device) => `${device} ist jetzt bekannt`,
  },
  form: {
    add: "Gerät hinzufügen",
    edit: (name) => `${name} bearbeiten`,
    who: "Wer ist das?",
    known: "Das ist es",
    saved: (name) => `${name} ist gespeichert`,
    added: (name) => `${name} ist hinzugefügt`,
    name: "Name",
    nameExample: "Fernseher Küche",
    mac: "MAC",
    hostname: "Hostname",
    vendor: "Hersteller",
    addresses: "IP-Adressen",
    addressesHint: (number) =>
      number === 0
        ? "Mit Kommas getrennt. Ohne MAC-Adresse wird es nur an diesen erkannt."
        : count(number, "Adresse", "Adressen"),
    trust: "Vertrauensklasse",
    privacy: "Schutzklasse",
    profile: "Profil",
    groups: "Gruppen",
    notes: "Notizen",
    none: "Keine Angabe",
  },
  removal: {
    title: (name) => `${name} entfernen`,
    forgotten: (name) =>
      `Das Gateway vergisst ${name} samt Klassen und Gruppen. Ist es noch da, kommt es als neues Gerät wieder.`,
    policies: (number, names) =>
      number === 1
        ? `Die Regel ${names} gilt dann für niemanden.`
        : `${number} Regeln gelten dann für niemanden: ${names}.`,
    names: (number) =>
      number === 1
        ? "1 DNS-Eintrag gilt nur für dieses Gerät und muss zuerst weg."
        : `${number} DNS-Einträge gelten nur für dieses Gerät und müssen zuerst weg.`,
    wasQuarantined: "Es ist jetzt in Quarantäne. Kommt es wieder, ist es das nicht mehr.",
    action: "Gerät entfernen",
    done: (name) => `${name} ist entfernt`,
  },
  belongings: {
    name: "Name",
    description: "Beschreibung",
    members: "Geräte",
    remove: "Entfernen",
    removeTitle: (name) => `${name} entfernen`,
    removed: (name) => `${name} ist entfernt`,
    editTitle: (name) => `${name} bearbeiten`,
    unused: "Nichts benutzt es. Niemand verliert etwas.",
    users: {
      devices: (number) => count(number, "Gerät", "Geräte"),
      trust_classes: (number) => count(number, "Vertrauensklasse", "Vertrauensklassen"),
    },
    otherUsers: (number, kind) => `${number} × ${kind}`,
    stillUsed: (parts) => `Noch in Gebrauch: ${parts.join(", ")}. Entfernen geht, sobald sie etwas anderes benutzen.`,
    groups: {
      title: "Gruppen",
      add: "Gruppe hinzufügen",
      none: "Noch keine Gruppe. Mit ihr gilt eine Regel für mehrere Geräte zugleich: einen Raum, eine Person, einen Zweck.",
      leave: (number) =>
        number === 0 ? "Kein Gerät ist darin." : `${count(number, "Gerät verlässt", "Geräte verlassen")} die Gruppe.`,
      policies: (number, names) =>
        number === 1
          ? `Die Regel ${names} gilt dann für niemanden.`
          : `${number} Regeln gelten dann für niemanden: ${names}.`,
    },
    trust: {
      title: "Vertrauensklassen",
      add: "Vertrauensklasse hinzufügen",
      none: "Noch keine Vertrauensklasse. Sie sagt, wie weit einem Gerät zu trauen ist, und bringt eine Schutzklasse mit.",
      level: "Vertrauen",
      levelHint: "0 ist fremd, 100 ist das eigene.",
      privacy: "Schutzklasse, die sie mitbringt",
      privacyHint: "Gilt für Geräte ohne eigene Schutzklasse.",
      profile: "Profil, das sie mitbringt",
    },
    privacy: {
      title: "Schutzklassen",
      add: "Schutzklasse hinzufügen",
      none: "Noch keine Schutzklasse. Sie sagt, was ein Gerät nicht preisgeben darf, welchen Weg es auch nimmt.",
      demands: "Was sie verlangt",
      fail: "Wenn ein Zwischenschritt ausfällt",
      fails: { "fail-closed": "Zu", "fail-open": "Direkt", "fail-over": "Die nächste Regel entscheidet" },
      dnsMode: "Wer Fragen nach Namen beantwortet",
      dnsModes: { system: "Immer das Gateway", device: "Wen das Gerät fragt", off: "Bleibt unberührt" },
      dnsModeHints: {
        system: "Jede Frage auf Port 53 beantwortet das Gateway, an wen sie auch ging.",
        device: "Es darf jeden Resolver fragen, solange sein DNS nicht ans Gateway geleitet wird.",
        off: "Das Gateway lässt seine Fragen an andere Resolver unberührt, auch wenn DNS ans Gateway geleitet würde.",
      },
      forceRests: {
        system: "In jedem Fall an: das Gateway antwortet ihm immer.",
        off: "Ruht: seine Fragen nach Namen bleiben unberührt.",
      },
      log: "Was aufgeschrieben wird",
      logs: { full: "Jeder gefragte Name", counts: "Wie oft gefragt wird", none: "Nichts" },
      short: {
        require_tunnel: "einen Tunnel",
        force_dns: "DNS beim Gateway",
        block_doh: "kein fremdes verschlüsseltes DNS",
        block_webrtc: "kein STUN",
        block_ipv6: "kein IPv6",
      },
      long: {
        require_tunnel: "Tunnel verlangen",
        force_dns: "DNS ans Gateway leiten",
        block_doh: "Verschlüsseltes DNS nach außen verweigern",
        block_webrtc: "STUN verweigern",
        block_ipv6: "Kein IPv6 hinauslassen",
      },
      hints: {
        require_tunnel: "Zu, wenn keine Regel das Gerät durch einen Tunnel schickt.",
        force_dns: "Welchen Resolver das Gerät auf Port 53 auch fragt, das Gateway antwortet.",
        block_doh: "Damit keine App die Filter umgeht.",
        block_webrtc: "Es verrät Webseiten die wahre Adresse.",
        block_ipv6: "Für Geräte, deren Weg nur IPv4 trägt.",
      },
    },
  },
};
