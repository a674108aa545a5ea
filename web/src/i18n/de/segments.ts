import type { Messages } from "../en/en.ts";

export const segments: Messages["segments"] = {
  title: "Segmente",
  single: "Das Gateway hat ein LAN, also gibt es nichts zu trennen.",
  isolated: "Segmente sind voneinander getrennt, sofern nicht eines ein anderes erreicht.",
  edit: (name) => `Segment ${name} bearbeiten`,
  saved: "Das Segment ist gespeichert.",
  name: "Name",
  interface: "LAN-Schnittstelle",
  networks: "Netze",
  reaches: "Erreicht",
  none: "kein anderes Segment",
  reachesOther: (name) => `Erreicht ${name}`,
  reachesHint:
    "Seine Geräte dürfen Verbindungen in dieses Segment öffnen. Antworten kommen zurück, neue Verbindungen von dort nicht.",
};
