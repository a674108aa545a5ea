import type { Messages } from "../en/en.ts";

export const exits: Messages["exits"] = {
  of: (device) => `Ausgang von ${device}`,
  ofMany: (count) => (count === 1 ? "Ausgang von 1 Gerät" : `Ausgang von ${count} Geräten`),
  via: (hops) => `über ${hops.join(", ")}`,
  direct: { name: "Direkt", effect: "ohne VPN" },
  blocked: { name: "Nur LAN", effect: "kein Internet" },
  quarantined: "In Quarantäne",
  fails: "Wenn der Tunnel ausfällt",
  failClosed: "Verkehr blockieren (Kill-Switch)",
  failOpen: "Direkte Verbindung nutzen",
  writes: {
    update: (policy) => `Ändert die Richtlinie „${policy}“ und testet sie 2 Minuten lang.`,
    create: (policy) => `Fügt die Richtlinie „${policy}“ hinzu und testet sie 2 Minuten lang.`,
  },
  writesMany: (count) => `Schreibt ${count} Richtlinien und testet sie 2 Minuten lang.`,
  keepFirst: "Behalten Sie zuerst die Änderung auf Probe, oder setzen Sie sie zurück.",
  excepted: "Eine Ausnahme oder Pause entscheidet jetzt; danach gilt die Richtlinie.",
  scheduled: (policies) =>
    policies.length === 1
      ? `Die Richtlinie „${policies[0]}“ entscheidet weiterhin, solange ihr Zeitplan aktiv ist.`
      : `Diese Richtlinien entscheiden weiterhin, solange ihre Zeitpläne aktiv sind: ${policies.join(", ")}.`,
  scheduledMany:
    "Eine Richtlinie eines Geräts mit Zeitplan kann weiterhin entscheiden, solange ihr Zeitplan aktiv ist.",
  staged: "Mit den anderen Änderungen vorgemerkt",
};
