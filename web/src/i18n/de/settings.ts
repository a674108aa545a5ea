import type { Messages } from "../en/en.ts";

const known: Messages["settings"]["known"] = {
  webhook_url: { name: "Adresse für Warnungen", about: "Dorthin werden Warnungen geschickt." },
  telegram_bot_token: {
    name: "Telegram-Bot-Token",
    about: "Des Bots, der Warnungen schickt. Er geht hinein und kommt nie heraus.",
  },
  telegram_chat_id: { name: "Telegram-Chat", about: "Der Chat, der Warnungen bekommt." },
  ai_ollama_url: { name: "Lokales Modell", about: "Wo die lokale Modell-Laufzeit lauscht." },
  ai_default_model: { name: "Modell", about: "Das Modell, das Vorschläge des Assistenten prüft." },
  pq_crypto_mode: {
    name: "Post-Quanten-Schlüssel",
    about: "Für Verbindungen, die das Gateway aufbaut: Schlüssel, die Quantenrechner überdauern.",
  },
  node_id: { name: "Kennung dieses Gateways", about: "Bleibt für immer dieselbe." },
};

export const settings: Messages["settings"] = {
  subtitle: "Was gilt für das ganze Gateway?",
  known,
  choices: { default: "wie üblich", preferred: "wo möglich", required: "immer" },
  stored: "Einstellungen",
  notSet: "nicht gesetzt",
  isSecret: "gesetzt, wird nie gezeigt",
  change: "Ändern",
  changeTitle: (name) => `${name} ändern`,
  value: "Wert",
  secretHint: "Der alte Wert wird nicht gezeigt. Was eingegeben wird, ersetzt ihn.",
  saved: (name) => `${name} ist geändert`,
  unset: "Leeren",
  unsetTitle: (name) => `${name} leeren`,
  unsetDone: (name) => `${name} ist nicht mehr gesetzt`,
  unsetSecret: (name) => `${name} ist endgültig weg: nichts sendet damit, bis ein neuer eingegeben wird.`,

  file: "In der Konfigurationsdatei",
  fileSays: "Gilt ab dem Start. Geändert wird es in der Datei; ein Neustart übernimmt es.",
  showFile: (count) => (count === 1 ? "1 Schlüssel zeigen" : `${count} Schlüssel zeigen`),
  key: "Schlüssel",
  from: "Aus",
  sources: { bootstrap: "der Datei", store: "hier", default: "Vorgabe" },
  meaning: "Bedeutung",
  empty: "leer",

  secrets: "Geheimnisse",
  noSecrets: "Kein Geheimnis ist verwahrt. Passwörter von Tunneln und Proxys kommen von selbst hierher.",
  name: "Name",
  about: "Was es öffnet",
  purpose: "Benutzt von",
  purposes: {
    stored: "wer es beim Namen nennt",
    setting: "einer Einstellung",
    tunnel: "einem Tunnel",
    proxy: "einem Proxy",
    dns_extfilter: "dem externen Filter",
  },
  version: "Fassung",
  updated: "Geändert",
  addSecret: "Geheimnis verwahren",
  addTitle: "Geheimnis verwahren",
  editTitle: (name) => `${name} ändern`,
  newValue: "Neuer Wert",
  newValueHint: "Leer: der Wert bleibt",
  valueHint: "Geht hinein, kommt nie heraus",
  keep: "Verwahren",
  kept: (name) => `${name} ist verwahrt`,
  removeTitle: (name) => `${name} entfernen`,
  removes: (name) => `Wer nach ${name} fragt, bekommt ab dann nichts. Der Wert lässt sich von hier nicht zurückholen.`,
  removed: (name) => `${name} ist entfernt`,

  sealed: (count) =>
    count === 0
      ? "Geheimnisse sind mit einer Passphrase versiegelt."
      : count === 1
        ? "1 Geheimnis ist mit einer Passphrase versiegelt."
        : `${count} Geheimnisse sind mit einer Passphrase versiegelt.`,
  halfSealed: (sealed, all) => `${sealed} von ${all} Geheimnissen sind versiegelt.`,
  unsealed: (count) =>
    count === 0
      ? "Geheimnisse werden im Klartext verwahrt."
      : count === 1
        ? "1 Geheimnis liegt im Klartext auf der Platte."
        : `${count} Geheimnisse liegen im Klartext auf der Platte.`,
  setPassphrase: "Passphrase setzen",
  passphrase: "Passphrase",
  passphraseHint:
    "Acht Zeichen oder mehr. Auch anderswo aufheben: ohne sie bleibt eine zurückgespielte Kopie verschlossen.",
  setTitle: "Geheimnisse neu versiegeln",
  setSays:
    "Jedes Geheimnis wird geöffnet und unter der neuen Passphrase wieder versiegelt. Lässt sich eines nicht öffnen, ändert sich nichts.",
  seal: "Versiegeln",
  sealedNow: "Die Geheimnisse sind neu versiegelt",
  clearPassphrase: "Abnehmen",
  clearTitle: "Geheimnisse im Klartext verwahren",
  clears: (count) =>
    count === 0
      ? "Jedes Geheimnis liegt ab dann lesbar auf der Platte und in jeder Kopie davon."
      : count === 1
        ? "1 Geheimnis liegt ab dann lesbar auf der Platte und in jeder Kopie davon."
        : `${count} Geheimnisse liegen ab dann lesbar auf der Platte und in jeder Kopie davon.`,
  clearIt: "Im Klartext verwahren",
  cleared: "Die Geheimnisse sind im Klartext",

  browser: "Dieser Browser",
  browserSays: "Nur hier gemerkt: Sprache und Erscheinung. Die Sitzung ist ein Cookie, das kein Skript lesen kann.",
  reset: "Beides vergessen",
  forgotten: "Dieser Browser folgt wieder seinem System",

  gatewayItself: "Über",
  product: "Version",
  build: "Bau",
  uptime: "Läuft seit",
  node: "Kennung dieses Gateways",
  revision: "Veröffentlichter Stand",
  mode: "Platz im Netz",
  docs: "Dokumentation der API",
  docsSays: "Alles, was diese Oberfläche tut, können auch Programme.",
};
