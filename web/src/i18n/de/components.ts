import type { Messages } from "../en/en.ts";

const ends = {
  protected: "ins Internet.",
  blocked: "und ist blockiert: nichts kommt durch.",
  direct: "direkt ins Internet, so gewollt.",
  leaking: "außerhalb eines Tunnels ins Internet, gegen eine Regel.",
  unknown: "ins Internet; der Zustand ist nicht bekannt.",
} as const;

const bypasses = {
  direct: "und geht direkt ins Internet, wie seine Regel es erlaubt.",
  leaking: "und erreicht das Internet außerhalb seines Tunnels, gegen eine Regel.",
};

export const ribbon: Messages["ribbon"] = {
  internet: "Internet",
  noHops: "kein VPN",
  isDown: (name) => `${name} (ausgefallen)`,
  sentence: (from, hops, state, bypass) =>
    bypass
      ? `${from} umgeht ${hops.join(", dann ")} ${bypasses[state === "leaking" ? "leaking" : "direct"]}`
      : [`${from} geht`, hops.length > 0 && `durch ${hops.join(", dann ")}`, ends[state]].filter(Boolean).join(" "),
};

export const differences: Messages["differences"] = {
  none: "Nichts ist anders.",
  kinds: {
    routing_policy: "Regel",
    routing_policies: "Regel",
    device: "Gerät",
    device_group: "Gruppe",
    trust_class: "Vertrauensklasse",
    privacy_class: "Schutzklasse",
    profile: "Profil",
    chain: "Kette",
    tunnel: "Tunnel",
    proxy: "Proxy",
    bridge: "Brücke",
    setting: "Einstellung",
    secret: "Geheimnis",
    splitting_endpoint: "Verteil-Ziel",
    uplinks: "Internetanschlüsse",
    privacy: "Schutz für alle",
    leak_monitor: "Leckwächter",
    dns_filter_rule: "Filterregel",
    dns_allow_entry: "erlaubter Name",
    dns_block_entry: "gesperrter Name",
    dns_rewrite: "Umschreibung",
    dns_zone: "Zone",
    dns_record: "Eintrag",
    dns_forwarder: "Weiterleitung",
    dns_rotation: "Wechsel der Weiterleitungen",
    dns_list: "Liste",
    dns_options: "DNS-Optionen",
    dns_extfilter: "äußerer Filter",
  },
  added: (kind, name) => `Neu: ${kind} ${name}`,
  removed: (kind, name) => `Entfernt: ${kind} ${name}`,
  changed: (kind, name) => `Geändert: ${kind} ${name}`,
  raw: "Felder",
  more: (count) => `und ${count} weitere`,
  fields: {
    priority: (before, after) =>
      after < before ? `früher gefragt: ${after}, war ${before}` : `später gefragt: ${after}, war ${before}`,
    switched: (on) => (on ? "eingeschaltet" : "ausgeschaltet"),
    renamed: (before) => `hieß ${before}`,
    through: (before, after) => `geht ${after}; vorher ${before}`,
    hops: (names) => (names.length > 0 ? `durch ${names.join(", dann ")}` : "direkt"),
    profile: (before, after) => (after === null ? `folgt Profil ${before} nicht mehr` : `folgt Profil ${after}`),
    split: (on) => (on ? "verteilt auf seine Tunnel" : "verkettet seine Tunnel"),
    fails: {
      "fail-closed": "zu, wenn ein Schritt ausfällt",
      "fail-open": "direkt, wenn ein Schritt ausfällt",
      "fail-over": "die nächste Regel entscheidet, wenn ein Schritt ausfällt",
    },
    failsNow: (after, before) => `${after}; vorher: ${before}`,
    source: (after, before) => `gilt für ${after}; vorher für ${before}`,
  },
};

export const staging: Messages["staging"] = {
  waits: (count) => (count === 1 ? "1 Änderung ist vorgemerkt" : `${count} Änderungen sind vorgemerkt`),
  notYet: "Noch läuft nichts davon.",
  trialFirst: "Erst über die Änderung auf Probe entscheiden.",
  see: "Ansehen",
  apply: "Anwenden",
  tryFor: "2 Minuten testen",
  applied: "Angewendet",
  onTrial: "Auf Probe: Sie wird von selbst zurückgenommen, wenn niemand sie behält",
};

const withoutHops = {
  "fail-closed": "kommt nicht ins Internet",
  "fail-open": "geht direkt ins Internet",
  "fail-over": "bleibt der nächsten Regel überlassen",
};

export const paths: Messages["paths"] = {
  kinds: { vpn: "Tunnel", interface: "Anschluss", proxy: "Proxy", mesh_peer: "Mesh-Nachbar" },
  tunnelKinds: { wireguard: "WireGuard", openvpn: "OpenVPN" },
  statuses: {
    down: "aus",
    connecting: "verbindet",
    up: "trägt",
    degraded: "trägt schlecht",
    failed: "antwortet nicht",
  },
  gone: "gibt es nicht",
  sources: {
    all: () => "Alles",
    interface: (value) => `Was an ${value} ankommt`,
    vlan: (value) => `VLAN ${value}`,
    subnet: (value) => `Netz ${value}`,
    device: (value) => value,
    device_group: (value) => `Gruppe ${value}`,
    destination: (value) => `Was zu ${value} geht`,
    domain: (value) => `Namen unter ${value}`,
  },
  sentence: ({ source, through, profile, splitting, fail }) => {
    const fails = {
      "fail-closed": "zu, wenn das ausfällt",
      "fail-open": "direkt, wenn das ausfällt",
      "fail-over": "die nächste Regel entscheidet, wenn das ausfällt",
    };
    if (profile !== null) return `${source} geht, wie Profil ${profile} sagt`;
    if (through.length === 0) return `${source} ${withoutHops[fail]}`;
    return `${source} geht durch ${through.join(splitting ? " und " : ", dann ")}; ${fails[fail]}`;
  },
};

export const domainActions: Messages["domainActions"] = {
  change: "Sperren oder erlauben",
  title: (name) => `${name} und alle Namen darunter, dauerhaft`,
  block: (whom) => `Sperren für ${whom}`,
  allow: (whom) => `Erlauben für ${whom}`,
  everyone: "alle",
  group: (name) => `Gruppe ${name}`,
  done: {
    block: (name, whom) => `${name} ist gesperrt für ${whom}`,
    allow: (name, whom) => `${name} ist erlaubt für ${whom}`,
  },
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const removal: Messages["removal"] = {
  title: (name) => `${name} entfernen`,
  done: (name) => `${name} ist entfernt`,
  stillUsed: (name) => `${name} wird noch benutzt. Erst diese woanders hinführen:`,
  references: {
    routing_policies: (count) => counted(count, "Regel", "Regeln"),
    profiles: (count) => counted(count, "Profil", "Profile"),
    proxies: (count) => counted(count, "Proxy", "Proxys"),
    splitting_endpoints: (count) => counted(count, "Endpunkt der Verteilung", "Endpunkte der Verteilung"),
  },
  toPolicies: "Zu den Regeln",
};
