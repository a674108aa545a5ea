import type { Messages } from "../en/en.ts";

const nouns = {
  device: "Gerät",
  device_group: "Gruppe",
  trust_class: "Vertrauensklasse",
  privacy_class: "Datenschutzklasse",
  tunnel: "Tunnel",
  proxy: "Proxy",
  bridge: "Bridge",
  vlan: "VLAN",
  profile: "Profil",
  chain: "Kette",
  dns_domains: "Domains",
  setting: "Einstellung",
  settings: "Einstellungen",
  secret: "Geheimnis",
  wan_uplinks: "Uplinks",
};

export const changes: Messages["changes"] = {
  subtitle: "Vorgemerkte Änderungen, Verlauf und Wiederherstellung",
  staged: "Vorgemerkt",
  nothingStaged: "Nichts ist vorgemerkt.",
  toRouting: "Zum Routing",
  stopsApply: "Diese Probleme verhindern das Anwenden:",
  stop: (names, message) => `${names.map((name) => `„${name}“`).join(", ")}: ${message}`,
  window: "Automatisch zurücksetzen nach",
  windows: { "30": "30 Sekunden", "120": "2 Minuten", "600": "10 Minuten", "3600": "1 Stunde" },
  tryFor: (window) => `${window} testen`,
  apply: "Anwenden",
  applyHint:
    "Eine Änderung auf Probe wird automatisch zurückgesetzt, wenn Sie sie nicht behalten; so sperren Sie sich nicht dauerhaft aus.",
  discard: "Verwerfen",
  discardOne: (name) => `Änderung an ${name} verwerfen`,
  discarded: (name) => `Änderung an ${name} verworfen`,
  discardedAsNew: (name) => `${name} wurde mit denselben Einstellungen neu erstellt`,
  discardAll: "Alles verwerfen",
  discardAllTitle: "Alle vorgemerkten Änderungen verwerfen",
  discardAllText: (count) =>
    count === 1
      ? "1 vorgemerkte Änderung wird verworfen. Die aktuelle Konfiguration bleibt in Kraft."
      : `${count} vorgemerkte Änderungen werden verworfen. Die aktuelle Konfiguration bleibt in Kraft.`,
  discardAllAction: (count) => (count === 1 ? "1 Änderung verwerfen" : `${count} Änderungen verwerfen`),
  discardedAll: "Vorgemerkte Änderungen verworfen",
  trial: "Auf Probe",
  trialLeft: (time) => `Wird in ${time} zurückgesetzt, wenn Sie sie nicht behalten.`,
  trialBy: (actor) => `Gestartet von ${actor}.`,
  history: "Verlauf",
  noHistory: "Noch keine Snapshots.",
  compareTwo: "Snapshots vergleichen",
  when: "Wann",
  what: "Änderung",
  who: "Benutzer",
  changed: "Änderungen",
  note: "Notiz",
  actions: "Aktionen",
  number: (id) => `#${id}`,
  changedCount: (count) => (count === 1 ? "1 Änderung" : `${count} Änderungen`),
  runs: "aktuell",
  pinned: "angeheftet",
  reverted: "zurückgesetzt",
  revertOf: (number, reason) => `#${number} zurückgesetzt: ${reason}`,
  anonymous: "anonymer Client",
  system: "Gateway",
  cause: {
    verbs: {
      create: "Hinzugefügt:",
      update: "Geändert:",
      delete: "Entfernt:",
      import: "Importiert:",
      toggle: "Umgeschaltet:",
      up: "Eingeschaltet:",
      down: "Ausgeschaltet:",
      block: "Blockiert:",
      allow: "Erlaubt:",
      learn: "Gelernt:",
    },
    nouns,
    whole: {
      apply_routing_policies: "Vorgemerkte Änderungen angewendet",
      apply_configuration: "Dokument angewendet",
      import_configuration: "Dokument importiert",
      rollback_snapshot: "Snapshot wiederhergestellt",
      revert_change: "Änderung zurückgesetzt",
    },
  },
  reasons: {
    requested: "auf Anforderung",
    "not confirmed in time": "sie wurde nicht rechtzeitig bestätigt",
  },
  compareCurrent: "Mit aktuellem Stand vergleichen",
  compareBefore: "Änderungen anzeigen",
  pin: "Anheften",
  unpin: "Lösen",
  pinDone: "Angeheftet: Dieser Snapshot wird nie automatisch gelöscht",
  unpinDone: "Gelöst",
  writeNote: "Notiz bearbeiten",
  noteTitle: (number) => `Notiz zu Snapshot #${number}`,
  noteLabel: "Notiz",
  noteDone: "Notiz gespeichert",
  rollback: "Wiederherstellen",
  compareTitle: "Snapshots vergleichen",
  from: "Von",
  to: "Nach",
  current: "aktuelle Konfiguration",
  rollbackTitle: (number) => `Snapshot #${number} wiederherstellen`,
  rollbackText: (count) =>
    count === 0
      ? "Kein Unterschied zur aktuellen Konfiguration."
      : count === 1
        ? "1 Änderung:"
        : `${count} Änderungen:`,
  rollbackStaged: (count) =>
    count === 1 ? "Die vorgemerkte Änderung wird verworfen." : `Die ${count} vorgemerkten Änderungen werden verworfen.`,
  rollbackAction: "Wiederherstellen",
  rollbackTry: (window) => `Für ${window} wiederherstellen`,
  rolledBack: (number) => `Snapshot #${number} wiederhergestellt`,
  rolledBackExcept: (number, excluded) =>
    `Snapshot #${number} wiederhergestellt, außer ${excluded === 1 ? "einer Ressource, die" : `${excluded} Ressourcen, die`} nur ein Administrator ändern darf`,
  forGood: "nie",
  document: "Konfiguration als Dokument",
  documentText:
    "Alle Einstellungen mit Namen in einem YAML- oder JSON-Dokument, für eine Versionsverwaltung oder ein anderes Gateway. Ein Export enthält keine Geheimnisse.",
  exportDocument: "Konfiguration herunterladen",
  documentLabel: "Dokument",
  documentHint: "Abschnitte, die fehlen, bleiben unverändert",
  chooseDocument: "Datei wählen",
  preview: "Vorschau",
  prune: "Löschen, was frühere Dokumente dieses Besitzers enthielten und dieses nicht mehr enthält",
  planCounts: (plan) =>
    `${plan.create} neu, ${plan.change} geändert, ${plan.delete} gelöscht, ${plan.unchanged} unverändert`,
  planOwner: (adopted, released) =>
    `Der Besitzer erhält ${adopted === 1 ? "1 Ressource" : `${adopted} Ressourcen`} und verliert ${released === 1 ? "1" : `${released}`}; auf Probe nicht.`,
  planNothing: "Das Gateway ist bereits so, wie das Dokument es beschreibt.",
  planAlong: (count) =>
    count === 1
      ? "1 vorher vorgemerkte Änderung wird mit veröffentlicht."
      : `${count} vorher vorgemerkte Änderungen werden mit veröffentlicht.`,
  documentApplied: "Dokument angewendet",
  waitForTrial: "Behalten oder verwerfen Sie zuerst die Änderung auf Probe.",
};
