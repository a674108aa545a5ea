import type { Messages } from "../en/en.ts";

export const access: Messages["access"] = {
  subtitle: "Wer hat Zugriff auf das Gateway?",
  open: "Die Authentifizierung ist ausgeschaltet: Jeder Client, der diesen Port erreicht, ist Administrator. Nur für ein Gateway vertretbar, das ausschließlich auf seiner Loopback-Adresse lauscht.",
  openHow: "In der Konfigurationsdatei auth.enabled: true setzen und neu starten.",
  neighbour: "Sie haben Lesezugriff aus dem lokalen Netz, ohne Anmeldung.",

  keys: "API-Schlüssel",
  noKeys: "Keine API-Schlüssel. Legen Sie einen für ein Skript, ein Dashboard oder einen anderen Benutzer an.",
  name: "Name",
  role: "Rolle",
  made: "Erstellt",
  ends: "Läuft ab",
  never: "nie",
  ended: "abgelaufen",
  from: "Herkunft",
  sources: { api: "hier erstellt", bootstrap: "Konfigurationsdatei" },
  addKey: "API-Schlüssel erstellen",
  addTitle: "API-Schlüssel erstellen",
  nameHint: "Wer oder was ihn verwendet; erscheint im Audit-Log",
  lasts: "Gültig",
  lasting: {
    day: "einen Tag",
    month: "30 Tage",
    quarter: "90 Tage",
    year: "ein Jahr",
    forever: "bis er widerrufen wird",
  },
  make: "Erstellen",
  madeTitle: (name) => `API-Schlüssel ${name}`,
  once: "Der Schlüssel wird nur einmal angezeigt. Kopieren Sie ihn jetzt; das Gateway speichert nur einen Hash.",
  theKey: "API-Schlüssel",
  use: "Header jeder Anfrage",
  done: "Fertig",
  revoke: "Widerrufen",
  revokeTitle: (name) => `${name} widerrufen`,
  revokes: (name) =>
    `Clients, die ${name} verwenden, verlieren sofort den Zugriff. Ein widerrufener Schlüssel lässt sich nicht wiederherstellen.`,
  revoked: (name) => `${name} widerrufen`,

  sessions: "Sitzungen",
  noSessions: "Keine aktiven Sitzungen.",
  who: "Benutzer",
  where: "Von",
  since: "Seit",
  until: "Bis",
  here: "dieser Browser",
  end: "Beenden",
  endTitle: (who, where) => `Sitzung von ${who} an ${where} beenden`,
  outAt: (who, where) => `${who} wird an ${where} sofort abgemeldet und muss sich neu anmelden.`,
  endIt: "Sitzung beenden",
  sessionEnded: "Sitzung beendet",

  password: "Passwort",
  current: "Aktuelles Passwort",
  fresh: "Neues Passwort",
  freshHint: "Mindestens zehn Zeichen",
  again: "Neues Passwort bestätigen",
  differ: "Die neuen Passwörter stimmen nicht überein",
  change: "Passwort ändern",
  changeHint: "Alle anderen Sitzungen werden beendet.",
  changed: (count) =>
    count === 0
      ? "Passwort geändert"
      : `Passwort geändert; ${count === 1 ? "1 andere Sitzung" : `${count} andere Sitzungen`} beendet`,
  signOut: "Abmelden",

  roles: "Rollen",
  may: {
    admin: "Alles, auch Schlüssel, Geheimnisse und Einstellungen.",
    operator:
      "Geräte, Richtlinien, Tunnel und DNS ändern sowie vorgemerkte Änderungen anwenden. Keine Schlüssel, keine Geheimnisse.",
    viewer: "Alles lesen außer Geheimnissen und Schlüsseln. Keine Änderungen.",
    diagnostics: "Zustand des Gateways lesen und Prüfungen starten. Kein Zugriff auf Geräte oder deren Verkehr.",
    metrics: "Die Metriken für Prometheus lesen und sonst nichts. Für den Schlüssel eines Überwachungsprogramms.",
  },
};
