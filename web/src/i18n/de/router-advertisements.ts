import type { Messages } from "../en/en.ts";

export const routerAdvertisements: Messages["routerAdvertisements"] = {
  title: "IPv6-Router-Ankündigungen",
  none: "Das Gateway kündigt sich nicht als IPv6-Router an. Geräte erhalten IPv6 von einem anderen Router oder gar nicht.",
  add: "In einem LAN ankündigen",
  edit: (name) => `Ankündigungen an ${name} bearbeiten`,
  remove: (name) => `Ankündigungen an ${name} beenden`,
  removeText: (name) =>
    `Geräte an ${name} erfahren es sofort und bauen über dieses Gateway keine neuen IPv6-Verbindungen mehr auf.`,
  removed: "Die Ankündigungen sind beendet.",
  saved: "Die Ankündigungen sind gespeichert.",
  interface: "LAN-Schnittstelle",
  noLan: "Das Gateway kündigt sich an jeder LAN-Schnittstelle an oder hat keine.",
  lifetime_sec: {
    label: "Gültigkeit",
    hint: "So lange nutzen Geräte den Router, ihre Adressen und den DNS-Server nach der letzten Ankündigung.",
  },
  state: "Zustand",
  statuses: { advertising: "Aktiv", starting: "Startet", failed: "Fehlgeschlagen", off: "Aus" },
  prefixes: "Netze",
  resolvers: "DNS-Server",
  noResolver: "keine",
};
