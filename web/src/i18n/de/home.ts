import type { Messages } from "../en/en.ts";
import { byChoice, goDirect } from "./privacy.ts";

const unknownDevicesText = {
  blocked: "Unbekannte Geräte sind blockiert: im LAN kommt nichts ins Internet, bis ein Gerät hinzugefügt ist.",
  protected: "Unbekannte Geräte nutzen das VPN.",
  exposed: "Unbekannte Geräte gehen direkt ins Internet, ohne VPN.",
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
    unknown === "blocked" ? "; unbekannte Geräte sind blockiert." : "; unbekannte Geräte täten es auch.",
    policies.length > 0 && ` Direkt durch eine Regel: ${policies.join(", ")}.`,
  ]
    .filter(Boolean)
    .join("");

export const home: Messages["home"] = {
  subtitle: "Bin ich geschützt?",
  verdict: "Urteil",
  verdicts: (verdict) => {
    const { kind, since = "", policies = [], reason = "", exposed = 0, all = 0, leaking = 0 } = verdict;
    return (
      {
        unreachable: {
          title: `Gateway nicht erreichbar seit ${since}.`,
          detail: "Der Zustand der Geräte ist nicht bekannt. Was unten steht, wurde vorher gelesen.",
        },
        "found leaking": {
          title: leaking === 1 ? "1 Gerät ist undicht." : `${leaking} Geräte sind undicht.`,
          detail: "Die letzte Prüfung sah Verkehr, den eine Regel oder eine Klasse verbietet.",
        },
        "gateway leaking": {
          title: "Das Gateway ist undicht.",
          detail: "Die letzte Prüfung fand ein Leck, das zu keinem einzelnen Gerät gehört.",
        },
        protected: { title: "Geschützt.", detail: isProtected(verdict) },
        "filtering off": {
          title: "Geschützt, aber der DNS-Filter ist aus.",
          detail:
            "Jedes bekannte Gerät nutzt ein VPN oder ist blockiert. Sperrlisten, Regeln und Umschreibungen gelten nicht.",
        },
        "at risk": {
          title: "Geschützt, aber die letzte Prüfung fand ein Risiko.",
          detail: "Nichts ist undicht. Was gefunden wurde, steht auf der Seite Schutz.",
        },
        "unknown direct": {
          title: "Geschützt, außer unbekannten Geräten.",
          detail: "Jedes bekannte Gerät nutzt ein VPN oder ist blockiert. Ein unbekanntes ginge direkt ins Internet.",
        },
        "some direct": { title: goDirect(exposed, all), detail: byChoice },
        "no device": {
          title: "Noch ist kein Gerät bekannt.",
          detail: unknownDevicesText[verdict.unknown ?? "blocked"],
        },
        "no internet": {
          title: "Kein Gerät kommt ins Internet.",
          detail: `${all === 1 ? "Das bekannte Gerät ist" : `Alle ${all} bekannten Geräte sind`} blockiert: durch eine Regel, durch Quarantäne oder weil ein Tunnel ausgefallen ist.`,
        },
        "nothing yet": { title: "Noch ist nichts geschützt.", detail: "Keine Regel schickt etwas durch einen Tunnel." },
        fallback: {
          title: `Direkt, ohne VPN: ${policies.join(", ")}`,
          detail: "Der Tunnel ist ausgefallen, und die Regel erlaubt dann die direkte Verbindung.",
        },
        "catching up": {
          title: "Noch ist nicht alles angewendet.",
          detail: "Die veröffentlichte Konfiguration wird noch in den Kernel geschrieben.",
        },
        "not verified": {
          title: "Die Firewallregeln sind nicht überprüft.",
          detail:
            reason === ""
              ? "Der Kernel wurde noch nicht mit der veröffentlichten Konfiguration verglichen."
              : `Der letzte Vergleich mit dem Kernel schlug fehl: ${reason}`,
        },
        "not enforced": {
          title: "Nichts wird durchgesetzt.",
          detail:
            reason === ""
              ? "Die Datenebene ist in der Konfigurationsdatei des Gateways abgeschaltet."
              : "Kein Gerät ist geschützt. Der Hinweis oben nennt den Grund.",
        },
      }[kind] ?? { title: kind, detail: "" }
    );
  },
  setUp: "Einrichten",
  lastCheck: (leaking, verdict) =>
    leaking === 0
      ? verdict === "leaking"
        ? "Letzte Prüfung: das Gateway selbst ist undicht,"
        : verdict === "at-risk"
          ? "Letzte Prüfung: nichts ist undicht, aber etwas ist nicht, wie es sein soll,"
          : "Letzte Prüfung: nichts ist undicht,"
      : leaking === 1
        ? "Letzte Prüfung: 1 Gerät ist undicht,"
        : `Letzte Prüfung: ${leaking} Geräte sind undicht,`,
  neverChecked: "Noch wurde nicht auf Lecks geprüft.",
  verified: "Firewallregeln überprüft",
  addDevice: "Gerät hinzufügen",
  seeBlocked: "Blockierte Geräte ansehen",
  checkNow: "Jetzt prüfen",
  exits: "Ausgänge",
  allPolicies: "Alle Regeln",
  noExits: "Noch ist keine Regel angewendet. Erst einen Tunnel einlesen, dann Geräte hindurchschicken.",
  notUsed: (policy, first) => `„${policy}“ wird nicht benutzt: „${first}“ greift vorher.`,
  moreNotUsed: (count) =>
    count === 1 ? "1 weitere Regel wird nicht benutzt." : `${count} weitere Regeln werden nicht benutzt.`,
  importTunnel: "Tunnel einlesen",
  moreExits: (count) => `und ${count} weitere`,
  from: (policies) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} und ${policies.length - 2} weitere` : policies.join(", "),
  attention: (count) => (count === 1 ? "1 Sache braucht Aufmerksamkeit" : `${count} Sachen brauchen Aufmerksamkeit`),
  look: "Ansehen",
  review: "Durchsehen",
  identify: "Zuordnen",
  newDevice: (name, mac) => `Neu im Netz: ${name}${mac ? ` (${mac})` : ""}`,
  unknownDevices: (count) => (count === 1 ? "1 unbekanntes Gerät im LAN" : `${count} unbekannte Geräte im LAN`),
  staged: (count) =>
    count === 1
      ? "1 Änderung ist vorgemerkt und gilt noch nicht"
      : `${count} Änderungen sind vorgemerkt und gelten noch nicht`,
  leaks: (name) => `${name} ist undicht: es sendet Verkehr, den eine Regel oder eine Klasse verbietet`,
  moreLeak: (count) => (count === 1 ? "1 weiteres Gerät ist undicht" : `${count} weitere Geräte sind undicht`),
  fallsBack: (policy, down) => `${policy} nutzt die direkte Verbindung: ${down} ist ausgefallen`,
  blockNow: "Jetzt blockieren",
  otherTunnel: "Anderen Tunnel nehmen",
  deviceBlocked: (name) => `${name} ist in Quarantäne`,
  policyStaged: (policy) =>
    `${policy} ist vorgemerkt: blockiert, solange der Tunnel ausgefallen ist. Die vorgemerkten Änderungen anwenden`,
  tunnelDead: (name, reason) => `Tunnel ${name} ist ausgefallen: ${reason}`,
  partFailed: (name, message) => `${name}: ${message}`,
  listFailed: (name, problem) => `Liste ${name} ließ sich nicht lesen: ${problem}`,
  more: "Mehr",
  tunnelsConnected: (off) => (off === 0 ? "verbunden" : `verbunden; ${off} abgeschaltet`),
  ofAll: (some, all) => `${some} von ${all}`,
  tunnelSummary: (carrying, wanted) =>
    wanted === 0
      ? "Keiner ist eingeschaltet"
      : carrying === wanted
        ? "Alle verbunden"
        : `${wanted - carrying} ausgefallen`,
  blockedShare: "der DNS-Anfragen waren am letzten Tag gesperrt",
  planeStates: { running: "Läuft", degraded: "Eingeschränkt", failed: "Antwortet nicht", off: "Aus" },
  filteringOff: "Der Filter ist aus",
  uplinks: "Internetanschluss",
  noUplink: "Keiner",
  uplinkStates: { used: "In Gebrauch", unprobed: "In Gebrauch, nicht geprüft", none: "Kein Anschluss ist nutzbar" },
  dnsHour: "DNS-Anfragen, letzte Stunde",
  queries: "Anfragen",
  blocked: "Gesperrt",
  noQueries: "Noch keine DNS-Anfrage.",
  traffic: "Internetverkehr, seit diese Seite offen ist",
  received: "Herein",
  sent: "Hinaus",
  measuring: "Wird gemessen",
};
