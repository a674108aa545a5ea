import type { Messages } from "../en/en.ts";

const known: Messages["settings"]["known"] = {
  webhook_url: { name: "Webhook-URL", about: "An diese URL werden Warnungen gesendet." },
  telegram_bot_token: {
    name: "Telegram-Bot-Token",
    about: "Token des Bots, der Warnungen sendet. Nur beschreibbar.",
  },
  telegram_chat_id: { name: "Telegram-Chat", about: "Der Chat, der Warnungen erhält." },
  ai_ollama_url: { name: "URL des lokalen Modells", about: "Adresse der lokalen Modell-Laufzeitumgebung." },
  ai_default_model: { name: "Modell", about: "Das Modell, das Vorschläge des Assistenten prüft." },
  node_id: { name: "Gateway-ID", about: "Ändert sich nie." },
};

export const settings: Messages["settings"] = {
  subtitle: "Einstellungen, Geheimnisse und Bootstrap-Konfiguration",
  known,
  stored: "Einstellungen",
  notSet: "nicht gesetzt",
  isSecret: "gesetzt, verborgen",
  change: "Ändern",
  changeTitle: (name) => `${name} ändern`,
  value: "Wert",
  secretHint: "Der alte Wert wird nicht angezeigt. Ein neuer Wert ersetzt ihn.",
  saved: (name) => `${name} gespeichert`,
  unset: "Zurücksetzen",
  unsetTitle: (name) => `${name} zurücksetzen`,
  unsetDone: (name) => `${name} zurückgesetzt`,
  unsetSecret: (name) => `${name} wird dauerhaft gelöscht und muss zur Verwendung neu eingegeben werden.`,

  file: "Konfigurationsdatei",
  fileText:
    "Wird beim Start des Gateways gelesen. Um einen Schlüssel zu ändern, bearbeiten Sie die Datei und starten neu.",
  showFile: (count) => (count === 1 ? "1 Schlüssel anzeigen" : `${count} Schlüssel anzeigen`),
  key: "Schlüssel",
  from: "Herkunft",
  sources: { bootstrap: "Datei", store: "hier gespeichert", default: "Voreinstellung" },
  meaning: "Bedeutung",
  empty: "leer",

  secrets: "Geheimnisse",
  noSecrets: "Keine Geheimnisse. Passwörter von Tunneln und Proxys werden hier aufgeführt.",
  name: "Name",
  about: "Beschreibung",
  purpose: "Verwendet von",
  purposes: {
    stored: "Programmen, über seinen Namen",
    setting: "einer Einstellung",
    tunnel: "einem Tunnel",
    proxy: "einem Proxy",
    dns_extfilter: "dem externen Filter",
    alert_channel: "einem Alarmkanal",
    mqtt: "der MQTT-Verbindung",
  },
  version: "Version",
  updated: "Geändert",
  addSecret: "Geheimnis hinzufügen",
  addTitle: "Geheimnis hinzufügen",
  editTitle: (name) => `${name} ändern`,
  newValue: "Neuer Wert",
  newValueHint: "Leer: Wert behalten",
  valueHint: "Nur beschreibbar",
  keep: "Speichern",
  kept: (name) => `${name} gespeichert`,
  removeTitle: (name) => `${name} entfernen`,
  removes: (name) =>
    `Programme, die ${name} verwenden, erhalten es nicht mehr. Der Wert lässt sich nicht wiederherstellen.`,
  removed: (name) => `${name} entfernt`,

  sealed: (count) =>
    count === 0
      ? "Geheimnisse sind mit einer Passphrase verschlüsselt."
      : count === 1
        ? "1 Geheimnis ist mit einer Passphrase verschlüsselt."
        : `${count} Geheimnisse sind mit einer Passphrase verschlüsselt.`,
  halfSealed: (sealed, all) => `${sealed} von ${all} Geheimnissen sind verschlüsselt.`,
  unsealed: (count) =>
    count === 0
      ? "Geheimnisse werden im Klartext gespeichert."
      : count === 1
        ? "1 Geheimnis ist im Klartext auf dem Datenträger gespeichert."
        : `${count} Geheimnisse sind im Klartext auf dem Datenträger gespeichert.`,
  setPassphrase: "Passphrase setzen",
  passphrase: "Passphrase",
  passphraseHint:
    "Mindestens acht Zeichen. Bewahren Sie eine Kopie auf: Ohne sie ist eine wiederhergestellte Sicherung nicht lesbar.",
  setTitle: "Passphrase der Verschlüsselung ändern",
  setText:
    "Jedes Geheimnis wird entschlüsselt und mit der neuen Passphrase verschlüsselt. Lässt sich eines nicht entschlüsseln, ändert sich nichts.",
  seal: "Verschlüsseln",
  sealedNow: "Geheimnisse verschlüsselt",
  clearPassphrase: "Passphrase entfernen",
  clearTitle: "Geheimnisse im Klartext speichern",
  clears: (count) =>
    count === 0
      ? "Jedes Geheimnis ist dann auf dem Datenträger und in jeder Kopie davon lesbar."
      : count === 1
        ? "1 Geheimnis ist dann auf dem Datenträger und in jeder Kopie davon lesbar."
        : `${count} Geheimnisse sind dann auf dem Datenträger und in jeder Kopie davon lesbar.`,
  clearIt: "Im Klartext speichern",
  cleared: "Geheimnisse werden im Klartext gespeichert",

  browser: "Dieser Browser",
  browserText:
    "Sprache und Design werden in diesem Browser gespeichert. Die Sitzung ist ein Cookie, das kein Skript lesen kann.",
  reset: "Beides zurücksetzen",
  resetDone: "Sprache und Design folgen dem System",

  gatewayItself: "Über",
  product: "Version",
  build: "Build",
  uptime: "Betriebszeit",
  node: "Gateway-ID",
  revision: "Veröffentlichte Revision",
  mode: "Netzwerkmodus",
  docs: "API-Dokumentation",
  docsText: "Alles in dieser Oberfläche ist auch über die API verfügbar.",
};
