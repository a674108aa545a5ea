import type { Messages } from "../en/en.ts";

export const mqtt: Messages["mqtt"] = {
  title: "Home Assistant (MQTT)",
  intro:
    "Veröffentlicht Status, Tunnel, Lecks, Alarme, DNS-Zähler und Gerätezahlen bei einem MQTT-Broker. Home Assistant findet sie von selbst.",
  settings: "Einstellungen",
  saved: "Die MQTT-Einstellungen sind gespeichert.",
  states: { off: "Aus", connecting: "Verbindet", connected: "Verbunden", failed: "Nicht verbunden" },
  since: "Verbunden",
  entities: (count, unavailable) =>
    unavailable === 0 ? `${count} Entitäten` : `${count} Entitäten, davon ${unavailable} zurzeit ohne Wert`,
  test: "Test senden",
  testing: "Ein Test wird gesendet …",
  fields: {
    enabled: "Eingeschaltet",
    host: "Broker",
    port: { label: "Port", hint: "Leer: 8883, ohne TLS 1883" },
    security: { label: "Verschlüsselung", options: { tls: "TLS", none: "Keine: alles wird im Klartext gesendet" } },
    ca: { label: "Vertraute Zertifikate", hint: "Im PEM-Format. Leer: die Zertifizierungsstellen des Systems" },
    username: "Benutzer",
    password: "Passwort",
    discovery_prefix: {
      label: "Discovery-Präfix",
      hint: "Wie in Home Assistant; homeassistant, wenn Sie es dort nicht geändert haben",
    },
    base_topic: { label: "Basis-Topic", hint: "Erster Teil der Topics mit Zuständen" },
    configuration_url: {
      label: "Adresse dieser Oberfläche",
      hint: "Home Assistant verweist darauf. Leer: kein Verweis",
    },
    pause_switch_min: {
      label: "Schalter, der die Filterung pausiert",
      hint: "Minuten einer Pause für alle. Leer: kein Schalter. Jeder Client des Brokers, der sein Topic schreiben darf, kann ihn betätigen.",
    },
  },
};
