import type { Messages } from "../en/en.ts";

export const start: Messages["start"] = {
  subtitle: "Richten Sie das Gateway in wenigen Schritten ein",
  progress: "Schritte",
  otherOptions: "Weitere Optionen",
  short: {
    account: "Konto",
    network: "Netzwerk",
    tunnel: "Tunnel",
    filters: "Filter",
    classes: "Geräte",
    proof: "Prüfung",
  },
  titles: {
    account: "Administratorkonto erstellen",
    network: "Ports für Internet und LAN",
    tunnel: "Welcher Tunnel soll Ihr Netz schützen?",
    filters: "Werbung und Schadsoftware blockieren",
    classes: "Welche Geräte nutzen den Tunnel?",
    proof: "Funktioniert es?",
  },
  subtitles: {
    account: "Es gibt ein Konto. Andere Benutzer erhalten später einen API-Schlüssel mit einer Rolle.",
    network: "Wird alle zwei Sekunden geprüft: Stecken Sie ein Kabel ein, und sehen Sie es hier.",
    tunnel: "Importieren Sie die Datei Ihres Anbieters oder Ihres eigenen Servers, und schalten Sie den Tunnel ein.",
    filters: "Empfohlene Listen von Namen, die das DNS des Gateways blockiert. Weitere gibt es auf der Seite DNS.",
    classes:
      "Zwei Entscheidungen. Sie gelten zwei Minuten auf Probe: Wenn Sie sich aussperren, werden sie automatisch zurückgesetzt.",
    proof: "Was jetzt mit dem Verkehr geschieht, und was bei Ausfall aller Hops geschähe.",
  },
  back: "Zurück",
  later: "Später abschließen",
  next: "Weiter",
  code: "Einrichtungscode",
  codeHint: "Das Gateway gibt ihn beim Start aus; root findet ihn in /var/lib/portcullis/setup-code.",
  username: "Benutzername",
  password: "Passwort",
  passwordHint: "Mindestens zehn Zeichen; ein kurzer Satz ist leicht zu merken.",
  again: "Passwort bestätigen",
  differs: "Die Passwörter stimmen nicht überein.",
  makeAccount: "Konto erstellen",
  checks: { good: "OK", bad: "Handlungsbedarf", waiting: "Wird geprüft" },
  lanFound: (name, addresses, carrier) =>
    `LAN: ${name}${addresses.length > 0 ? ` (${addresses.join(", ")})` : ""}${carrier ? "" : "; keine Verbindung"}`,
  noLan:
    "Keine LAN-Schnittstelle gefunden. Führen Sie auf dem Gateway `portcullis setup` aus, oder setzen Sie network.lan_iface in der Konfigurationsdatei.",
  uplinkFound: (name, reachable, rtt, reason) =>
    reachable
      ? `Das Internet ist über ${name} erreichbar${rtt ? ` (${rtt})` : ""}`
      : `Das Internet ist über ${name} nicht erreichbar: ${reason}`,
  uplinkSeen: (name, carrier, nextHop) =>
    !carrier
      ? `${name} hat keine Verbindung`
      : nextHop === null
        ? `${name} ist verbunden, hat aber kein Standardgateway`
        : `${name} ist verbunden; das Standardgateway ist ${nextHop}`,
  probeInternet: "Internetzugang prüfen",
  probeTargets: (targets) => `Das Gateway prüft dann alle paar Sekunden ${targets.join(" und ")}.`,
  noUplink:
    "Kein Uplink gefunden. Führen Sie auf dem Gateway `portcullis setup` aus, oder setzen Sie network.wan_iface in der Konfigurationsdatei.",
  otherUplink: "Das Internet ist an einem anderen Port",
  uplinkInterface: "Port",
  useUplink: "Als Uplink verwenden",
  uplinkChosen: "Uplink gespeichert",
  importTunnel: "Tunnel importieren",
  importAnother: "Weiteren importieren",
  withoutTunnel: "Ohne Tunnel weiter",
  listsOff: (reason) => `Das Gateway löst derzeit keine Namen auf und liest keine Liste: ${reason}.`,
  listFrom: (host) => `Das Gateway lädt sie von ${host} und aktualisiert sie regelmäßig.`,
  listNames: (count) => `${count} Namen`,
  addLists: (count) => (count === 1 ? "Diese Liste hinzufügen" : `Diese ${count} Listen hinzufügen`),
  withoutLists: "Ohne Listen weiter",
  whichTunnel: "Tunnel",
  knownDevices: "Bekannte Geräte",
  unknownDevices: "Unbekannte Geräte",
  treatments: {
    through: (tunnel) => ({ label: `Über ${tunnel}`, hint: "Blockiert, wenn der Tunnel ausfällt (Kill Switch)." }),
    direct: () => ({ label: "Direkt", hint: "Ohne VPN, wie ohne dieses Gateway." }),
    blocked: () => ({ label: "Blockiert", hint: "Sie erreichen nur das Gateway." }),
  },
  unknownConsequences: {
    through:
      "Neue Geräte und Gäste haben sofort Internetzugang, geschützt durch den Tunnel. Fällt er aus, sind sie blockiert.",
    direct: "Jedes neue Gerät hat Internetzugang ohne VPN, auch ein bekanntes Gerät mit einer anderen MAC-Adresse.",
    blocked:
      "Neue Geräte haben keinen Internetzugang, bis Sie sie zu den bekannten Geräten hinzufügen. Solange es keine gibt, hat in diesem Netz nichts Internetzugang.",
  },
  macIsNoProof:
    "Geräte werden an der MAC-Adresse erkannt, die jedes Gerät ändern oder kopieren kann. Sie unterscheidet Geräte; sie authentifiziert sie nicht.",
  tryIt: "2 Minuten testen",
  made: {
    group: "Bekannte Geräte",
    everyone: "Alle Geräte (erster Start)",
    known: "Bekannte Geräte (erster Start)",
    unknown: "Unbekannte Geräte (erster Start)",
  },
  inForce: (isSo) => (isSo ? "Alle Regeln sind im Kernel." : "Die Regeln werden angewendet."),
  unknownDevice: "Unbekanntes Gerät",
  whenDown: (name, leaves) =>
    leaves
      ? `${name}: Bei Ausfall aller Hops geht Verkehr ohne VPN hinaus.`
      : `${name}: Bei Ausfall aller Hops geht nichts hinaus.`,
  leakCheck: "Leckprüfung",
  leakWaits: "Die Leckprüfung läuft, sobald alle Regeln angewendet sind.",
  leakRuns: "Leckprüfung läuft…",
  checkAgain: "Erneut prüfen",
  notEnforced: "Nichts wird durchgesetzt: Die Dataplane ist in der Konfigurationsdatei ausgeschaltet.",
  paths: "Pfade",
  keepAndFinish: "Behalten und abschließen",
  finish: "Abschließen",
};
