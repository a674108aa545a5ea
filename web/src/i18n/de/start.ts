import type { Messages } from "../en/en.ts";

export const start: Messages["start"] = {
  subtitle: "Das Gateway in wenigen Schritten einrichten",
  progress: "Schritte",
  otherOptions: "Andere Wege",
  short: { account: "Konto", network: "Netz", tunnel: "Tunnel", classes: "Geräte", proof: "Beweis" },
  titles: {
    account: "Das Konto des Verwalters anlegen",
    network: "Ist das das richtige Netz?",
    tunnel: "Welcher Tunnel soll schützen?",
    classes: "Wer geht hindurch?",
    proof: "Hält es?",
  },
  subtitles: {
    account: "Es gibt ein Konto. Alle anderen bekommen später einen Schlüssel mit einer Rolle.",
    network: "Das Gateway sieht alle zwei Sekunden nach; ein eingestecktes Kabel erscheint hier.",
    tunnel: "Die Datei des Anbieters oder des eigenen Servers einlesen und einschalten.",
    classes: "Zwei Fragen. Die Antworten gelten zwei Minuten auf Probe: Wer sich aussperrt, wird von selbst erlöst.",
    proof: "Was das Gateway jetzt mit einem Paket tut, und was es täte, wenn alles ausfiele.",
  },
  back: "Zurück",
  later: "Später beenden",
  next: "Weiter",
  code: "Einrichtungscode",
  codeHint: "Das Gateway gibt ihn beim Start aus; root findet ihn in /var/lib/portcullis/setup-code.",
  username: "Name",
  password: "Passwort",
  passwordHint: "Zehn Zeichen oder mehr; ein paar Wörter hintereinander merken sich leicht.",
  again: "Noch einmal",
  differs: "Die beiden Passwörter sind verschieden.",
  makeAccount: "Konto anlegen",
  checks: { good: "Gut", bad: "Zu tun", waiting: "Wird geprüft" },
  lanFound: (name, addresses, carrier) =>
    `Die Geräte sind an ${name}${addresses.length > 0 ? ` (${addresses.join(", ")})` : ""}${carrier ? "" : "; kein Kabel oder keine Verbindung"}`,
  noLan: "Kein Netz für die Geräte gefunden. Es steht in der Konfigurationsdatei: network.lan_iface.",
  uplinkFound: (name, reachable, rtt, reason) =>
    reachable
      ? `Das Internet antwortet über ${name}${rtt ? ` in ${rtt}` : ""}`
      : `Das Internet antwortet nicht über ${name}: ${reason}`,
  uplinkSeen: (name, carrier, nextHop) =>
    !carrier
      ? `${name} hat kein Kabel oder keine Verbindung`
      : nextHop === null
        ? `${name} ist verbunden, aber niemand führt dort weiter`
        : `${name} ist verbunden und führt über ${nextHop} weiter`,
  probeInternet: "Fragen, ob das Internet antwortet",
  probeTargets: (targets) => `Das Gateway fragt dann alle paar Sekunden ${targets.join(" und ")}.`,
  noUplink: "Kein Weg ins Internet gefunden. Er steht in der Konfigurationsdatei: network.wan_iface.",
  otherUplink: "Das Internet ist an einem anderen Anschluss",
  uplinkInterface: "Anschluss",
  useUplink: "Als Internetanschluss verwenden",
  uplinkChosen: "Das Gateway verwendet ihn ab jetzt",
  importTunnel: "Tunnel einlesen",
  importAnother: "Noch einen einlesen",
  withoutTunnel: "Ohne Tunnel weiter",
  whichTunnel: "Tunnel",
  knownDevices: "Bekannte Geräte",
  unknownDevices: "Geräte, die niemand kennt",
  treatments: {
    through: (tunnel) => ({ label: `Durch ${tunnel}`, hint: "Zu, wenn er ausfällt: nichts geht ungeschützt hinaus." }),
    direct: () => ({ label: "Direkt ins Internet", hint: "Ungeschützt, wie ohne dieses Gateway." }),
    blocked: () => ({ label: "Zu", hint: "Sie erreichen das Gateway und nichts dahinter." }),
  },
  unknownConsequences: {
    through:
      "Neue Geräte und Gäste funktionieren sofort, geschützt durch den Tunnel. Fällt er aus, sind sie blockiert.",
    direct:
      "Was immer ins Netz kommt, erreicht das Internet ungeschützt, auch ein bekanntes Gerät mit einer anderen MAC-Adresse.",
    blocked:
      "Neue Geräte haben kein Internet, bis sie zu den bekannten Geräten gehören. Solange keines bekannt ist, hat in diesem Netz nichts Internet.",
  },
  macIsNoProof:
    "Geräte werden an der MAC-Adresse erkannt, die jedes Gerät ändern oder kopieren kann. Sie unterscheidet Geräte; sie beweist nicht, wer sie sind.",
  tryIt: "2 Minuten ausprobieren",
  made: {
    group: "Bekannte Geräte",
    everyone: "Alle (erster Start)",
    known: "Bekannte Geräte (erster Start)",
    unknown: "Alle anderen (erster Start)",
  },
  inForce: (isSo) => (isSo ? "Der Kernel setzt alles durch." : "Es ist auf dem Weg in den Kernel."),
  unknownDevice: "Ein Gerät, das niemand kennt",
  whenDown: (name, leaves) =>
    leaves
      ? `${name} geht ungeschützt hinaus, wenn alles ausfällt.`
      : `${name}: nichts geht hinaus, wenn alles ausfällt.`,
  leakCheck: "Prüfung auf Lecks",
  leakWaits: "Die Prüfung auf Lecks läuft, sobald alles gilt.",
  leakRuns: "Das Gateway versucht, an den Tunneln vorbei hinauszukommen.",
  checkAgain: "Noch einmal prüfen",
  notEnforced: "Nichts wird durchgesetzt: Die Datenebene ist in der Konfigurationsdatei abgeschaltet.",
  paths: "Wege",
  keepAndFinish: "Behalten und beenden",
  finish: "Beenden",
};
