import type { Messages } from "../en/en.ts";

const ends = {
  protected: "ins Internet.",
  blocked: "und ist blockiert.",
  direct: "direkt ins Internet, wie konfiguriert.",
  leaking: "außerhalb eines Tunnels ins Internet, entgegen der Richtlinie.",
  unknown: "ins Internet; der Zustand ist nicht bekannt.",
} as const;

const bypasses = {
  direct: "und geht direkt ins Internet, wie es die Richtlinie erlaubt.",
  leaking: "und erreicht das Internet außerhalb des Tunnels, entgegen der Richtlinie.",
};

export const ribbon: Messages["ribbon"] = {
  internet: "Internet",
  noHops: "kein VPN",
  isDown: (name) => `${name} (ausgefallen)`,
  sentence: (from, hops, state, bypass) =>
    bypass
      ? `${from} umgeht ${hops.join(", dann ")} ${bypasses[state === "leaking" ? "leaking" : "direct"]}`
      : [`${from} geht`, hops.length > 0 && `über ${hops.join(", dann ")}`, ends[state]].filter(Boolean).join(" "),
};

export const differences: Messages["differences"] = {
  none: "Keine Unterschiede.",
  kinds: {
    routing_policy: "Richtlinie",
    routing_policies: "Richtlinie",
    device: "Gerät",
    device_group: "Gruppe",
    trust_class: "Vertrauensklasse",
    privacy_class: "Datenschutzklasse",
    profile: "Profil",
    chain: "Kette",
    tunnel: "Tunnel",
    proxy: "Proxy",
    bridge: "Bridge",
    setting: "Einstellung",
    secret: "Geheimnis",
    splitting_endpoint: "Pool-Mitglied",
    uplinks: "Uplinks",
    privacy: "Datenschutz-Voreinstellungen",
    alert_channel: "Alarmkanal",
    alert_rule: "Alarmregel",
    anomaly_detection: "Erkennung von Anomalien",
    leak_monitor: "Leck-Überwachung",
    mqtt: "MQTT-Verbindung",
    dns_filter_rule: "Filterregel",
    dns_allow_entry: "erlaubte Domain",
    dns_block_entry: "blockierte Domain",
    dns_rewrite: "Umschreibung",
    dns_zone: "Zone",
    dns_record: "DNS-Eintrag",
    dns_forwarder: "Forwarder",
    dns_rotation: "Auswahl der Upstreams",
    dns_list: "Liste",
    dns_options: "DNS-Optionen",
    dns_extfilter: "externer Filter",
  },
  added: (kind, name) => `Neu: ${kind} ${name}`,
  removed: (kind, name) => `Entfernt: ${kind} ${name}`,
  changed: (kind, name) => `Geändert: ${kind} ${name}`,
  raw: "Felder",
  more: (count) => `und ${count} weitere`,
  fields: {
    priority: (before, after) =>
      after < before
        ? `früher geprüft: Priorität ${after}, war ${before}`
        : `später geprüft: Priorität ${after}, war ${before}`,
    switched: (on) => (on ? "eingeschaltet" : "ausgeschaltet"),
    renamed: (before) => `umbenannt von ${before}`,
    through: (before, after) => `geht ${after}; vorher: ${before}`,
    hops: (names) => (names.length > 0 ? `über ${names.join(", dann ")}` : "direkt"),
    profile: (before, after) =>
      after === null ? `verwendet Profil ${before} nicht mehr` : `verwendet Profil ${after}`,
    schedule: (before, after) =>
      after === null ? `wartet nicht mehr auf Zeitplan ${before}` : `gilt, solange Zeitplan ${after} aktiv ist`,
    split: (on) => (on ? "verteilt auf seine Tunnel" : "verkettet seine Tunnel"),
    fails: {
      "fail-closed": "blockiert, wenn ein Hop ausfällt",
      "fail-open": "direkt, wenn ein Hop ausfällt",
      "fail-over": "nächste Richtlinie, wenn ein Hop ausfällt",
    },
    failsNow: (after, before) => `${after}; vorher: ${before}`,
    source: (after, before) => `gilt für ${after}; vorher: ${before}`,
  },
};

export const staging: Messages["staging"] = {
  waits: (count) => (count === 1 ? "1 vorgemerkte Änderung" : `${count} vorgemerkte Änderungen`),
  notYet: "Noch nicht aktiv.",
  trialFirst: "Behalten oder verwerfen Sie zuerst die Änderung auf Probe.",
  see: "Änderungen ansehen",
  apply: "Anwenden",
  tryFor: "2 Minuten testen",
  applied: "Angewendet",
  onTrial: "Auf Probe: wird automatisch zurückgesetzt, wenn Sie die Änderung nicht behalten",
};

const withoutHops = {
  "fail-closed": "ist blockiert",
  "fail-open": "geht direkt ins Internet",
  "fail-over": "wird der nächsten Richtlinie überlassen",
};

export const paths: Messages["paths"] = {
  kinds: { vpn: "Tunnel", interface: "Schnittstelle", proxy: "Proxy", mesh_peer: "Mesh-Peer" },
  tunnelKinds: { wireguard: "WireGuard", openvpn: "OpenVPN" },
  statuses: {
    down: "aus",
    connecting: "verbindet",
    up: "verbunden",
    degraded: "eingeschränkt",
    failed: "antwortet nicht",
  },
  gone: "existiert nicht",
  sources: {
    all: () => "Gesamter Verkehr",
    interface: (value) => `Verkehr von ${value}`,
    vlan: (value) => `VLAN ${value}`,
    subnet: (value) => `Netz ${value}`,
    device: (value) => value,
    device_group: (value) => `Gruppe ${value}`,
    destination: (value) => `Verkehr zu ${value}`,
    domain: (value) => `Verkehr zu ${value} und Subdomains`,
  },
  whileActive: (schedule, sentence) => `Solange „${schedule}“ aktiv ist: ${sentence}`,
  sentence: ({ source, through, profile, splitting, fail }) => {
    const fails = {
      "fail-closed": "blockiert bei Ausfall",
      "fail-open": "direkt bei Ausfall",
      "fail-over": "nächste Richtlinie bei Ausfall",
    };
    if (profile !== null) return `${source} verwendet Profil ${profile}`;
    if (through.length === 0) return `${source} ${withoutHops[fail]}`;
    return `${source} geht über ${through.join(splitting ? " und " : ", dann ")}; ${fails[fail]}`;
  },
};

export const domainActions: Messages["domainActions"] = {
  change: "Blockieren oder erlauben",
  title: (name) => `${name} und alle Subdomains, dauerhaft`,
  block: (whom) => `Blockieren für ${whom}`,
  allow: (whom) => `Erlauben für ${whom}`,
  everyone: "alle",
  group: (name) => `Gruppe ${name}`,
  done: {
    block: (name, whom) => `${name} für ${whom} blockiert`,
    allow: (name, whom) => `${name} für ${whom} erlaubt`,
  },
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const removal: Messages["removal"] = {
  title: (name) => `${name} entfernen`,
  done: (name) => `${name} entfernt`,
  stillUsed: (name) => `${name} wird verwendet. Ändern Sie zuerst:`,
  references: {
    routing_policies: (count) => counted(count, "Richtlinie", "Richtlinien"),
    profiles: (count) => counted(count, "Profil", "Profile"),
    proxies: (count) => counted(count, "Proxy", "Proxys"),
    splitting_endpoints: (count) => counted(count, "Pool-Mitglied", "Pool-Mitglieder"),
  },
  toPolicies: "Zu den Richtlinien",
};
