import type { Words } from "../en/en.ts";

const devices = (count: number) => (count === 1 ? "1 Gerät" : `${count} Geräten`);

export const home: Words["home"] = {
  question: "Bin ich geschützt?",
  verdict: "Urteil",
  verdicts: ({ kind, policies = [], reason = "", exposed = 0, all = 0 }) =>
    ({
      protected: { title: "Geschützt.", detail: "Nichts geht ungeschützt hinaus, auch nicht von neuen Geräten." },
      "strangers direct": {
        title: "Geschützt, außer Fremden.",
        detail: "Für jedes bekannte Gerät ist gesorgt; ein unbekanntes ginge direkt ins Internet.",
      },
      "some direct": {
        title: `${exposed} von ${devices(all)} gehen direkt ins Internet.`,
        detail: "So gewollt: keine Regel schickt sie durch einen Tunnel.",
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
  lastCheck: (drift) =>
    drift === 0
      ? "Der Kernel wurde mit dem Verlangten verglichen und stimmt:"
      : `Der Kernel wurde mit dem Verlangten verglichen; ${drift} fremde Änderungen wurden behoben:`,
  neverChecked: "Der Kernel wurde noch nicht mit dem Verlangten verglichen.",
  checkNow: "Jetzt prüfen",
  checked: (failed) =>
    failed.length === 0
      ? "Geprüft: alles ist, wie es sein soll"
      : `Geprüft: ${failed.join(", ")} ließ sich nicht beheben`,
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
  planeWords: { running: "Antwortet", degraded: "Antwortet zum Teil", failed: "Antwortet nicht" },
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
