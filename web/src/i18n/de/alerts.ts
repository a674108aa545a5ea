import type { Messages } from "../en/en.ts";

const severities = { critical: "Kritisch", warning: "Warnung", info: "Info" };

export const alerts: Messages["alerts"] = {
  subtitle: "Was Aufmerksamkeit braucht oder brauchte",
  activeTitle: "Offene Alarme",
  none: "Keine offenen Alarme.",
  resolvedTitle: "Erledigt",
  severities,
  raised: "Ausgelöst",
  times: (count) => `${count}-mal, zuletzt`,
  acknowledgedBy: (actor) => `bestätigt von ${actor}`,
  resolvedBy: (actor) =>
    actor === "system"
      ? "von selbst erledigt"
      : actor === "restart"
        ? "mit einem Neustart des Daemons erledigt"
        : `erledigt von ${actor}`,
  acknowledge: "Bestätigen",
  resolve: "Als erledigt markieren",
  rulesTitle: "Regeln",
  rules: {
    "leak-detected": "Ein Gerät hat ein Leck",
    "killswitch-engaged": "Eine Richtlinie blockiert ihre Geräte, weil ihre Hops ausgefallen sind",
    "direct-fallback": "Eine Richtlinie nutzt die direkte Verbindung, weil ihre Hops ausgefallen sind",
    "tunnel-down": "Ein Tunnel ist ausgefallen",
    "tunnel-flap": "Ein Tunnel wechselt wiederholt zwischen verbunden und ausgefallen",
    "dns-plane-down": "DNS funktioniert nicht",
    "dns-bypass": "Ein Gerät nutzt einen anderen Resolver",
    "drift-detected": "Ein anderes Programm hat die Regeln des Gateways geändert",
    "new-device": "Ein neues Gerät ist im LAN",
  },
  disabled: "Ausgeschaltet",
  muted: "Stummgeschaltet",
  edit: (rule) => `Bearbeiten: ${rule}`,
  saved: "Die Regel ist gespeichert.",
  fields: {
    enabled: "Eingeschaltet",
    severity: { label: "Schweregrad", options: severities },
    threshold: {
      label: "Schwelle",
      hint: "So oft tritt eine Ursache im Zeitfenster auf, bevor ein Alarm ausgelöst wird.",
    },
    window_sec: {
      label: "Zeitfenster",
      hint: "Ein Alarm ohne eigenes Ende ist erledigt, wenn seine Ursache so lange nicht aufgetreten ist.",
    },
    cooldown_sec: {
      label: "Abklingzeit",
      hint: "Kehrt die Ursache in dieser Zeit zurück, ist der erledigte Alarm wieder offen.",
    },
    muted_until: { label: "Stumm bis", hint: "Bis dahin wird nichts ausgelöst." },
    muted_resources: {
      label: "Nur diese stummschalten",
      hint: "Namen oder IDs von Geräten, Richtlinien oder Tunneln. Ohne Zeitangabe bleiben sie dauerhaft stumm.",
    },
  },
};
