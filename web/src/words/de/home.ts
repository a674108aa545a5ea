import type { Words } from "../en/en.ts";
import { byChoice, goDirect } from "./privacy.ts";

export const home: Words["home"] = {
  question: "Bin ich geschützt?",
  verdict: "Urteil",
  verdicts: ({ kind, policies = [], reason = "", exposed = 0, all = 0, leaking = 0 }) =>
    ({
      "found leaking": {
        title: leaking === 1 ? "1 Gerät ist undicht." : `${leaking} Geräte sind undicht.`,
        detail: "Die letzte Prüfung fand einen Weg an dem vorbei, was es schützt.",
      },
      protected: { title: "Geschützt.", detail: "Nichts geht ungeschützt hinaus, auch nicht von neuen Geräten." },
      "strangers direct": {
        title: "Geschützt, außer Fremden.",
        detail: "Für jedes bekannte Gerät ist gesorgt; ein unbekanntes ginge direkt ins Internet.",
      },
      "some direct": {
        title: goDirect(exposed, all),
        detail: byChoice,
      },
      "nothing yet": { title: "Noch ist nichts geschützt.", detail: "Keine Regel schickt etwas durch einen Tunnel." },
      leaking: {
        title: `Ungeschützt unterwegs: ${policies.join(", ")}`,
        detail: `${reason}. Die Regel erlaubt dann den direkten Weg.`,
      },
      "catching up": {
        title: "Noch gilt nicht alles.",
        detail: "Was verlangt wurde, ist noch auf dem Weg in den Kernel.",
      },
      "not enforced": {
        title: "Nichts wird durchgesetzt.",
        detail: "Die Datenebene ist in der Konfigurationsdatei des Gateways abgeschaltet.",
      },
    })[kind] ?? { title: kind, detail: "" },
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
  checkNow: "Jetzt prüfen",
  ways: "Wege hinaus",
  allPolicies: "Alle Regeln",
  noWays: "Noch wird nichts irgendwohin geschickt. Erst einen Tunnel einlesen, dann Geräte hindurchschicken.",
  importTunnel: "Tunnel einlesen",
  moreWays: (count) => `und ${count} weitere`,
  from: (policies) =>
    policies.length > 2 ? `${policies.slice(0, 2).join(", ")} und ${policies.length - 2} weitere` : policies.join(", "),
  attention: (count) => (count === 1 ? "1 Sache wartet" : `${count} Sachen warten`),
  look: "Ansehen",
  review: "Durchsehen",
  whoIsThis: "Wer ist das?",
  newDevice: (name, mac) => `Neu im Netz: ${name}${mac ? ` (${mac})` : ""}`,
  staged: (count) =>
    count === 1
      ? "1 Änderung ist vorgemerkt und gilt noch nicht"
      : `${count} Änderungen sind vorgemerkt und gelten noch nicht`,
  leaks: (name) => `${name} ist undicht: etwas davon geht einen anderen Weg hinaus, als es soll`,
  moreLeak: (count) => (count === 1 ? "1 weiteres Gerät ist undicht" : `${count} weitere Geräte sind undicht`),
  tunnelDead: (name, reason) => `Tunnel ${name} trägt nicht: ${reason}`,
  partFailed: (name, message) => `${name}: ${message}`,
  listFailed: (name, problem) => `Liste ${name} ließ sich nicht lesen: ${problem}`,
  more: "Mehr",
  tunnelsCarry: (off) => (off === 0 ? "tragen" : `tragen; ${off} abgeschaltet`),
  ofAll: (some, all) => `${some} von ${all}`,
  tunnelWords: (carrying, wanted) =>
    wanted === 0
      ? "Keiner ist eingeschaltet"
      : carrying === wanted
        ? "Alle tragen"
        : `${wanted - carrying} ausgefallen`,
  blockedShare: "der Fragen waren am letzten Tag gesperrt",
  planeWords: { running: "Antwortet", degraded: "Antwortet zum Teil", failed: "Antwortet nicht", off: "Aus" },
  uplinks: "Internetanschluss",
  noUplink: "Keiner",
  uplinkWords: (some) => (some ? "In Gebrauch" : "Kein Weg hinaus"),
  dnsHour: "Fragen nach Namen, letzte Stunde",
  queries: "Gefragt",
  blocked: "Gesperrt",
  noQueries: "Noch hat niemand nach einem Namen gefragt.",
  traffic: "Verkehr am Internetanschluss, seit diese Seite offen ist",
  received: "Herein",
  sent: "Hinaus",
  measuring: "Wird gemessen",
};
