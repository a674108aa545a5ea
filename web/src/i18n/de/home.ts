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
        "not read": {
          title: "Der Zustand ist nicht bekannt.",
          detail: "Ein Teil davon ließ sich nicht erneut lesen: Was darüber bekannt ist, ist alt.",
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
  counts: "Geräte nach Zustand",
  noLeakFor: (time) => `${time} lang kein Leck gefunden.`,
  tested: "Geprüft",
  result: (leaking, verdict, checks) => {
    const found =
      leaking > 0
        ? leaking === 1
          ? "1 Gerät ist undicht."
          : `${leaking} Geräte sind undicht.`
        : verdict === "leaking"
          ? "Das Gateway selbst ist undicht."
          : verdict === "at-risk"
            ? "kein Leck, aber ein Risiko."
            : "kein Leck.";
    return checks > 1 ? `${found} ${checks} Prüfungen bestanden.` : found;
  },
  neverChecked: "Noch keine Leckprüfung ausgeführt.",
  verified: "Firewall-Regeln verifiziert",
  addDevice: "Gerät hinzufügen",
  seeBlocked: "Blockierte Geräte ansehen",
  checkNow: "Jetzt prüfen",
  exits: "Ausgänge",
  allPolicies: "Alle Richtlinien",
  noExits: "Noch ist keine Richtlinie angewendet. Importieren Sie einen Tunnel, und leiten Sie dann Geräte darüber.",
  nothingToRead: "Ihre Rolle darf den Zustand des Netzes nicht lesen.",
  picture: {
    title: "Verkehr jetzt",
    unmeasured: "nicht gemessen",
    view: "Ansicht",
    views: { picture: "Bild", paths: "Pfade", table: "Tabelle" },
    columns: { device: "Gerät", exit: "Ausgang", rate: "Rate jetzt", state: "Zustand" },
    none: "Keiner",
    noDevices: "Noch ist kein Gerät bekannt. Geräte im LAN lassen sich identifizieren.",
    outside: "Außerhalb des VPN",
    nothing: "Kein Gerät",
    devices: (count) => (count === 1 ? "1 Gerät" : `${count} Geräte`),
    idle: (count) => (count === 1 ? "1 ruhiges Gerät" : `${count} ruhige Geräte`),
    others: (count) => (count === 1 ? "1 weiteres" : `${count} weitere`),
    blocked: (count) => (count === 1 ? "1 Gerät ist blockiert" : `${count} Geräte sind blockiert`),
    down: "Ausgefallen",
    sentence: (of, list) => {
      const devices = (count: number) => (count === 1 ? "1 Gerät" : `${count} Geräte`);
      return [
        of.through.length > 0 &&
          `Über Ausgänge: ${list(of.through.map(([exit, count]) => `${exit} für ${devices(count)}`))}.`,
        of.blocked > 0 && `Blockiert: ${devices(of.blocked)}.`,
        of.leaking > 0 && `Undicht: ${devices(of.leaking)}.`,
        of.direct > 0 ? `Direkt, ohne VPN: ${devices(of.direct)}.` : "Kein Gerät nutzt eine direkte Verbindung.",
      ]
        .filter(Boolean)
        .join(" ");
    },
  },
  talkers: {
    title: "Am meisten Verkehr",
    today: (bytes) => `heute, ${bytes}`,
    all: "Alle Geräte",
    none: "Heute noch kein Verkehr.",
    others: (count) => (count === 1 ? "1 weiteres" : `${count} weitere`),
  },
  tiles: {
    download: "Empfangen",
    upload: "Gesendet",
    queries: "DNS-Abfragen",
    blocked: "Blockierte Abfragen",
    lastHour: "letzte Stunde",
    today: (bytes) => `${bytes} heute`,
    inDay: (count) => `${count} in 24 h`,
    perMinute: (count) => `${count} pro Minute`,
    highest: (value) => `Höchster Wert der letzten Stunde: ${value}`,
  },
  notUsed: (policy, first) => `„${policy}“ wird nicht verwendet: „${first}“ trifft zuerst zu.`,
  moreNotUsed: (count) =>
    count === 1 ? "1 weitere Richtlinie wird nicht verwendet." : `${count} weitere Richtlinien werden nicht verwendet.`,
  importTunnel: "Tunnel importieren",
  moreExits: (count) => `und ${count} weitere`,
  from: (policies) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} und ${policies.length - 2} weitere` : policies.join(", "),
  attention: (count) =>
    count === 0
      ? "Nichts erfordert Aufmerksamkeit"
      : count === 1
        ? "1 Punkt erfordert Aufmerksamkeit"
        : `${count} Punkte erfordern Aufmerksamkeit`,
  attentionTitle: "Aufmerksamkeit",
  nothingWaits: "Kein Leck, kein Ausfall, kein unbekanntes Gerät, keine vorgemerkte Änderung.",
  moreMatters: (count) => `${count} weitere`,
  look: "Ansehen",
  review: "Prüfen",
  identify: "Identifizieren",
  newDevice: (name) => `Neues Gerät: ${name}`,
  unknownDevices: (count) => (count === 1 ? "1 unbekanntes Gerät" : `${count} unbekannte Geräte`),
  staged: (count) => (count === 1 ? "1 vorgemerkte Änderung" : `${count} vorgemerkte Änderungen`),
  stagedDetail: "Noch nicht aktiv.",
  leaks: (name) => `${name} ist undicht`,
  leaksDetail: "Es sendet Verkehr, den eine Richtlinie oder Klasse verbietet.",
  moreLeak: (count) => (count === 1 ? "1 weiteres Gerät ist undicht" : `${count} weitere Geräte sind undicht`),
  fallsBack: (policy) => `${policy} nutzt die direkte Verbindung`,
  fallsBackDetail: (down) => `${down} ist ausgefallen, und die Richtlinie erlaubt das dann.`,
  blockNow: "Jetzt blockieren",
  deviceBlocked: (name) => `${name} ist in Quarantäne`,
  policyStaged: (policy) =>
    `${policy} ist vorgemerkt: blockiert, solange der Tunnel ausgefallen ist. Wenden Sie die vorgemerkten Änderungen an`,
  tunnelDown: (name) => `Tunnel ${name} ist ausgefallen`,
  partFailed: (name) => `${name} ist ausgefallen`,
  listFailed: (name) => `Liste ${name} konnte nicht aktualisiert werden`,
};
