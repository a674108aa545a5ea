import type { Messages } from "../en/en.ts";

export const signIn: Messages["signIn"] = {
  title: "Anmelden",
  byPassword: "Mit dem Passwort des Verwalters",
  byKey: "Mit einem API-Schlüssel",
  username: "Name",
  password: "Passwort",
  key: "API-Schlüssel",
  keyHint: "Bediener, Betrachter und Diagnose haben einen Schlüssel. Er öffnet eine Sitzung mit dessen Rolle.",
  enter: "Anmelden",
  other: { password: "Stattdessen mit einem API-Schlüssel", key: "Stattdessen mit dem Passwort" },
};
