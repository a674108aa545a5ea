import type { Messages } from "../en/en.ts";

export const signIn: Messages["signIn"] = {
  title: "Anmelden",
  byPassword: "Mit dem Administratorpasswort",
  byKey: "Mit einem API-Schlüssel",
  username: "Benutzername",
  password: "Passwort",
  key: "API-Schlüssel",
  keyHint:
    "Operatoren, Betrachter und Diagnose-Benutzer melden sich mit einem API-Schlüssel an. Die Sitzung hat die Rolle des Schlüssels.",
  enter: "Anmelden",
  other: { password: "Stattdessen einen API-Schlüssel verwenden", key: "Stattdessen ein Passwort verwenden" },
};
