import type { Messages } from "../en/en.ts";
import { byChoice, goDirect } from "./privacy.ts";

const unknownDevicesText = {
  blocked: "Unbekannte Geräte sind blockiert: Im LAN hat nichts Internetzugang, bis ein Gerät hinzugefügt ist.",
  protected: "Unbekannte Geräte nutzen das VPN.",
  exposed: "Unbekannte Geräte nutzen die direkte Verbindung, ohne VPN.",
};

const isProtected = ({
  devices = 0,
  blocked = 0,
  unknown = "blocked",
  policies = [],
}: Parameters<Messages["home"]["verdicts"]>[0]) =>
  [
    `${devices === 1 ? "1 Gerät nutzt" : `${devices} Geräte nutzen`} ein VPN`,
    blocked > 0 && `, ${blocked} ${blocked === 1 ? "ist" : "sind"} blockiert`,
    unknown === "blocked" ? "; unbekannte Geräte sind blockiert." : "; unbekannte Geräte würden es ebenfalls nutzen.",
    policies.length > 0 && ` Direkt per Richtlinie: ${policies.join(", ")}.`,
  ]
    .filter(Boolean)
    .join("");

export const home: Messages["home"] = {
  subtitle: "Ist Ihr Netz geschützt?",
  verdict: "Status",
  verdicts: (verdict) => {
    const { kind, since = "", policies = [], reason = "", exposed = 0, all = 0, leaking = 0 } = verdict;
    return (
      {
        unreachable: {
          title: `Gateway nicht erreichbar seit ${since}.`,
          detail: "Der Zustand der Geräte ist nicht bekannt. Die Daten unten sind veraltet.",
        },
        "found leaking": {
          title: leaking === 1 ? "1 Gerät ist undicht." : `${leaking} Geräte sind undicht.`,
          detail: "Die letzte Leckprüfung sah Verkehr, den eine Richtlinie oder Klasse verbietet.",
        },
        "gateway leaking": {
          title: "Das Gateway ist undicht.",
          detail: "Die letzte Leckprüfung fand ein Leck, das zu keinem einzelnen Gerät gehört.",
        },
        protected: { title: "Geschützt.", detail: isProtected(verdict) },
        "filtering off": {
          title: "Geschützt, aber die DNS-Filterung ist aus.",
          detail:
            "Jedes bekannte Gerät nutzt ein VPN oder ist blockiert. Sperrlisten, Regeln und Umschreibungen gelten nicht.",
        },
        "at risk": {
          title: "Geschützt, aber die letzte Leckprüfung fand ein Risiko.",
          detail: "Nichts ist undicht. Die Befunde stehen auf der Seite Datenschutz.",
        },
        "unknown direct": {
          title: "Geschützt, außer unbekannten Geräten.",
          detail:
            "Jedes bekannte Gerät nutzt ein VPN oder ist blockiert. Ein unbekanntes würde die direkte Verbindung nutzen.",
        },
        "some direct": { title: goDirect(exposed, all), detail: byChoice },
        "no device": {
          title: "Noch keine bekannten Geräte.",
          detail: unknownDevicesText[verdict.unknown ?? "blocked"],
        },
        "no internet": {
          title: "Kein Gerät hat Internetzugang.",
          detail: `${all === 1 ? "Das bekannte Gerät ist" : `Alle ${all} bekannten Geräte sind`} blockiert: durch eine Richtlinie, durch Quarantäne oder weil ein Tunnel ausgefallen ist.`,
        },
        "nothing yet": {
          title: "Noch ist nichts geschützt.",
          detail: "Keine Richtlinie leitet Verkehr über einen Tunnel.",
        },
        fallback: {
          title: `Direkt, ohne VPN: ${policies.join(", ")}`,
          detail: "Der Tunnel ist ausgefallen, und die Richtlinie erlaubt dann die direkte Verbindung.",
        },
        "catching up": {
          title: "Noch ist nicht alles angewendet.",
          detail: "Die veröffentlichte Konfiguration wird noch in den Kernel geschrieben.",
        },
        "not verified": {
          title: "Die Firewall-Regeln sind nicht verifiziert.",
          detail:
            reason === ""
              ? "Der Kernel wurde noch nicht mit der veröffentlichten Konfiguration verglichen."
              : `Der letzte Vergleich mit dem Kernel ist fehlgeschlagen: ${reason}`,
        },
        "not enforced": {
          title: "Nichts wird durchgesetzt.",
          detail:
            reason === ""
              ? "Die Dataplane ist in der Konfigurationsdatei des Gateways ausgeschaltet."
              : "Kein Gerät ist geschützt. Der Hinweis oben nennt den Grund.",
        },
      }[kind] ?? { title: kind, detail: "" }
    );
  },
  setUp: "Einrichten",
  lastCheck: (leaking, verdict) =>
    leaking === 0
      ? verdict === "leaking"
        ? "Letzte Leckprüfung: Das Gateway selbst ist undicht,"
        : verdict === "at-risk"
          ? "Letzte Leckprüfung: keine Lecks, aber ein Risiko,"
          : "Letzte Leckprüfung: keine Lecks,"
      : leaking === 1
        ? "Letzte Leckprüfung: 1 Gerät ist undicht,"
        : `Letzte Leckprüfung: ${leaking} Geräte sind undicht,`,
  neverChecked: "Noch keine Leckprüfung ausgeführt.",
  verified: "Firewall-Regeln verifiziert",
  addDevice: "Gerät hinzufügen",
  seeBlocked: "Blockierte Geräte ansehen",
  checkNow: "Jetzt prüfen",
  exits: "Ausgänge",
  allPolicies: "Alle Richtlinien",
  noExits: "Noch ist keine Richtlinie angewendet. Importieren Sie einen Tunnel, und leiten Sie dann Geräte darüber.",
  notUsed: (policy, first) => `„${policy}“ wird nicht verwendet: „${first}“ trifft zuerst zu.`,
  moreNotUsed: (count) =>
    count === 1 ? "1 weitere Richtlinie wird nicht verwendet." : `${count} weitere Richtlinien werden nicht verwendet.`,
  importTunnel: "Tunnel importieren",
  moreExits: (count) => `und ${count} weitere`,
  from: (policies) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} und ${policies.length - 2} weitere` : policies.join(", "),
  attention: (count) => (count === 1 ? "1 Punkt erfordert Aufmerksamkeit" : `${count} Punkte erfordern Aufmerksamkeit`),
  look: "Ansehen",
  review: "Prüfen",
  identify: "Identifizieren",
  newDevice: (name, mac) => `Neues Gerät: ${name}${mac ? ` (${mac})` : ""}`,
  unknownDevices: (count) => (count === 1 ? "1 unbekanntes Gerät im LAN" : `${count} unbekannte Geräte im LAN`),
  staged: (count) =>
    count === 1 ? "1 Änderung ist vorgemerkt und nicht aktiv" : `${count} Änderungen sind vorgemerkt und nicht aktiv`,
  leaks: (name) => `${name} ist undicht: Es sendet Verkehr, den eine Richtlinie oder Klasse verbietet`,
  moreLeak: (count) => (count === 1 ? "1 weiteres Gerät ist undicht" : `${count} weitere Geräte sind undicht`),
  fallsBack: (policy, down) => `${policy} nutzt die direkte Verbindung: ${down} ist ausgefallen`,
  blockNow: "Jetzt blockieren",
  otherTunnel: "Anderen Tunnel verwenden",
  deviceBlocked: (name) => `${name} ist in Quarantäne`,
  policyStaged: (policy) =>
    `${policy} ist vorgemerkt: blockiert, solange der Tunnel ausgefallen ist. Wenden Sie die vorgemerkten Änderungen an`,
  tunnelDown: (name, reason) => `Tunnel ${name} ist ausgefallen: ${reason}`,
  partFailed: (name, message) => `${name}: ${message}`,
  listFailed: (name, problem) => `Liste ${name} konnte nicht aktualisiert werden: ${problem}`,
  more: "Mehr",
  tunnelsConnected: (off) => (off === 0 ? "verbunden" : `verbunden; ${off} ausgeschaltet`),
  ofAll: (some, all) => `${some} von ${all}`,
  tunnelSummary: (connected, wanted) =>
    wanted === 0
      ? "Keiner ist eingeschaltet"
      : connected === wanted
        ? "Alle verbunden"
        : `${wanted - connected} ausgefallen`,
  blockedShare: "der DNS-Abfragen wurden am letzten Tag blockiert",
  planeStates: { running: "Läuft", degraded: "Eingeschränkt", failed: "Antwortet nicht", off: "Aus" },
  filteringOff: "Die Filterung ist aus",
  uplinks: "Uplink",
  noUplink: "Keiner",
  uplinkStates: { used: "In Verwendung", unprobed: "In Verwendung, nicht geprüft", none: "Kein Uplink ist nutzbar" },
  dnsHour: "DNS-Abfragen, letzte Stunde",
  queries: "Abfragen",
  blocked: "Blockiert",
  noQueries: "Noch keine DNS-Abfragen.",
  traffic: "Internetverkehr (live)",
  today: (received, sent) => `Heute, alle Geräte: ${received} empfangen, ${sent} gesendet.`,
  received: "Eingehend",
  sent: "Ausgehend",
  measuring: "Daten werden erfasst…",
};
