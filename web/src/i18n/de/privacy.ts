import type { Messages } from "../en/en.ts";

const devices = (count: number) => (count === 1 ? "1 Gerät" : `${count} Geräte`);
export const byChoice =
  "Durch eine Richtlinie, eine Ausnahme, oder weil keine Richtlinie sie über einen Tunnel leitet.";
export const goDirect = (exposed: number, all: number) =>
  `${exposed} von ${ofDevices(all)} ${exposed === 1 ? "nutzt" : "nutzen"} die direkte Verbindung, ohne VPN.`;
const ofDevices = (count: number) => (count === 1 ? "1 Gerät" : `${count} Geräten`);

export const privacy: Messages["privacy"] = {
  subtitle: "Leckprüfungen und Datenschutzeinstellungen",
  checkAll: "Jetzt auf Lecks prüfen",
  toPrivacy: "Ergebnis ansehen",

  summary: "Zusammenfassung",
  summaries: ({ kind, leaking = 0, exposed = 0, all = 0 }) =>
    ({
      "no devices": {
        title: "Noch keine bekannten Geräte.",
        detail: "Fügen Sie Ihre Geräte auf der Seite Geräte hinzu.",
      },
      leaking: {
        title: leaking === 1 ? "1 Gerät ist undicht." : `${leaking} Geräte sind undicht.`,
        detail: "Verkehr verlässt den konfigurierten Pfad. Siehe die Befunde unten.",
      },
      "never checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Jedes Gerät nutzt ein VPN oder ist blockiert.",
        detail: "Wie konfiguriert. Noch hat keine Leckprüfung es bestätigt.",
      },
      "not all checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Jedes Gerät nutzt ein VPN oder ist blockiert.",
        detail: "Wie konfiguriert. Die letzte Leckprüfung umfasste nicht alle Geräte.",
      },
      "at risk": {
        title: "Keine Lecks, aber ein Risiko.",
        detail:
          "Eine Schutzschicht wurde geändert, ein Gerät verwendet einen fremden DNS-Resolver, oder eine Prüfung war nicht möglich. Siehe die Befunde unten.",
      },
      "some direct": {
        title: `Keine Lecks; ${goDirect(exposed, all)}`,
        detail: byChoice,
      },
      "no-leak": {
        title: "Keine Lecks.",
        detail: "Jedes Gerät nutzt ein VPN oder ist blockiert, und die letzte Leckprüfung fand keine Umgehung.",
      },
    })[kind],

  system: {
    title: "Voreinstellungen",
    appliesTo: (some, all) =>
      all === 0
        ? "Für Geräte ohne Datenschutzklasse und ohne eigene Einstellungen."
        : `Für Geräte ohne Datenschutzklasse und ohne eigene Einstellungen: derzeit ${some} von ${all}.`,
    hints: {
      force_dns: "Das Gateway beantwortet jede Abfrage auf Port 53, unabhängig vom Ziel.",
      block_doh: "Bekannte DoH- und DoT-Resolver werden blockiert, damit Apps die Filter nicht umgehen.",
      block_ipv6: "Kein IPv6-Verkehr; Webseiten werden über IPv4 erreicht.",
      block_webrtc:
        "Webseiten können die echte Adresse nicht ermitteln. Anrufe im Browser laufen möglicherweise über ein Relay.",
    },
    ruled: {
      system: "An: Das Gateway beantwortet alle Abfragen.",
      off: "Inaktiv: Abfragen bleiben unbehandelt.",
    },
    dnsHints: {
      system: "Jede Abfrage auf Port 53 beantwortet das Gateway, unabhängig vom Ziel.",
      device: "Ein Gerät darf jeden Resolver verwenden, sofern sein DNS nicht zum Gateway umgeleitet wird.",
      off: "Abfragen an andere Resolver werden weitergeleitet, auch wenn DNS zum Gateway umgeleitet wird.",
    },
    classesElsewhere: "Datenschutzklassen",
  },
  switched: (what, on, whom) => `${what}: ${on ? "an" : "aus"}${whom === null ? "" : ` für ${whom}`}`,
  switchedBack: (what, whom) => `${what}: ${whom} verwendet die geerbte Einstellung`,
  unenforced: (done) => `${done}; noch nicht im Kernel`,
  dnsModeSet: "DNS-Server geändert",

  table: {
    title: "Geräte",
    label: "Geräte und ihr Schutz",
    find: "Geräte suchen",
    findExample: "Name oder Grund",
    posture: "Zustand",
    any: "Alle",
    none: "Noch keine bekannten Geräte.",
    noMatch: "Kein Gerät passt.",
    showAll: "Alle anzeigen",
    device: "Gerät",
    reason: "Grund",
    controls: "Kontrollen",
    tried: "Versuche",
    verdict: "Letzte Prüfung",
    noControls: "Keine",
  },
  sources: { device: "Eigene Einstellung", class: (name) => `Klasse ${name}`, system: "Voreinstellung" },
  allowed: {
    force_dns: "jeder Resolver",
    block_doh: "DoH und DoT erlaubt",
    block_ipv6: "IPv6 erlaubt",
    block_webrtc: "STUN erlaubt",
  },

  verdicts: {
    "no-leak": "Kein Leck",
    leaking: "Undicht",
    "at-risk": "Risiko",
    direct: "Direkt",
    unchecked: "Nicht geprüft",
  },
  severities: { leak: "Leck", risk: "Risiko", intended: "Wie konfiguriert" },
  causes: {
    "exposed-by-policy": "Direkt durch eine Richtlinie",
    "exposed-by-exception": "Direkt durch eine Ausnahme",
    "exposed-by-pause": "Direkt, weil der Schutz pausiert ist",
    "direct-fallback": "Der Tunnel ist ausgefallen, und die Richtlinie erlaubt die direkte Verbindung",
    "foreign-rule": "Die Regel eines anderen Programms hat Vorrang",
    "wrong-route": "Eine Route umgeht den Tunnel",
    "guard-missing": "Der Guard fehlt im Kernel",
    "steering-changed": "Die Steering-Regeln wurden geändert",
    "foreign-translation": "Ein anderes Programm übersetzt Adressen",
    "stale-connection": "Eine alte Verbindung nutzt noch ihren bisherigen Pfad",
    "ipv6-beside-tunnel": "IPv6 umgeht den Tunnel",
    "foreign-resolver": "Das Gerät verwendet einen fremden DNS-Resolver",
    "dns-in-the-clear": "DNS-Abfragen gehen unverschlüsselt hinaus",
    "tunnel-egress-is-uplink": "Die Ausgangsadresse des Tunnels ist die des Uplinks",
    "kernel-settings": "Eine Kernel-Einstellung wurde geändert",
    "seen-outside": "Ein Paket des Geräts wurde außerhalb gesehen",
  },
  check: {
    title: "Letzte Leckprüfung",
    none: "Noch keine Leckprüfung ausgeführt. Sie sendet im Namen jedes Geräts Testpakete, die versuchen, die Tunnel zu umgehen.",
    sentences: {
      "no-leak": (tried) => `${devices(tried)} geprüft: keine Lecks.`,
      "at-risk": (tried) => `${devices(tried)} geprüft: keine Lecks, aber ein Risiko.`,
      leaking: (tried) => `${devices(tried)} geprüft: Verkehr verlässt den konfigurierten Pfad.`,
    },
    noDevices:
      "Noch ist kein Gerät bekannt, daher wurde in keinem Namen ein Paket gesendet. Die Regeln im Kernel sind die kompilierten.",
    because: {
      request: "von einem Benutzer gestartet",
      "tunnel-change": "ein Tunnel hat sich geändert",
    },
    discarded:
      "Tunnel oder Regeln haben sich während der Prüfung geändert; sie hat kein Ergebnis. Führen Sie sie erneut aus.",
    progress: (checked, of) => `${checked} von ${ofDevices(of)} geprüft`,
    unchecked: (count) => `${devices(count)} nicht geprüft.`,
    direct: (count) =>
      count === 1
        ? "1 Gerät ist direkt verbunden, wie konfiguriert."
        : `${count} Geräte sind direkt verbunden, wie konfiguriert.`,
    gateway: "Gateway",
    more: (count) => `und ${count === 1 ? "1 weiteres Gerät" : `${count} weitere Geräte`}`,
    moreOf: (count) => `und ${count} weitere dieser Art`,
    each: "Details zu jedem Gerät stehen auf dessen Seite.",
    evidence: (count) => (count === 1 ? "1 Ergebnis" : `${count} Ergebnisse`),
    tried: (count) => (count === 1 ? "1 Prüfung" : `${count} Prüfungen`),
    what: "Prüfung",
    expected: "Erwartet",
    found: "Gefunden",
    asExpected: "Wie erwartet",
    done: {
      "no-leak": "Leckprüfung: keine Lecks",
      "at-risk": "Leckprüfung: keine Lecks, aber ein Risiko",
      leaking: "Leckprüfung: Leck gefunden",
    },
    doneDiscarded: "Tunnel oder Regeln haben sich während der Prüfung geändert; sie hat kein Ergebnis",
  },

  attempts: {
    title: "Blockierte Versuche",
    text: "Pakete, die das Gateway blockiert hat. Abfragen an fremde Resolver werden nur blockiert, wo DNS zum Gateway umgeleitet wird.",
    since: "Gezählt seit",
    off: "Keine Zähler: Die Dataplane ist ausgeschaltet.",
    none: "Keine Versuche.",
    device: "Gerät",
    kind: "Versuch",
    packets: "Pakete",
    last: "Zuletzt",
    kinds: {
      blocked: "Verkehr, während die Hops ausgefallen sind",
      dropped: "Verkehr außerhalb des konfigurierten Pfads",
      "foreign-resolver": "DNS-Abfrage an einen fremden Resolver",
      "encrypted-dns": "Verschlüsseltes DNS zu einem fremden Resolver",
      stun: "STUN-Anfrage (verrät die echte Adresse)",
      ipv6: "IPv6-Verkehr",
      "forged-sender": "Gefälschte Absenderadresse",
    },
  },

  monitor: {
    edit: "Überwachung konfigurieren",
    title: "Leck-Überwachung",
    enabled: "Nach jeder Tunneländerung prüfen",
    enabledHint: "Das Gateway führt dann selbst eine Leckprüfung aus.",
    settle: "Verzögerung (Sekunden)",
    settleHint: "Zeit, bis der Tunnel stabil ist. 0 bis 300.",
    outside: "Externe Dienste. Leeres Feld: nicht verwendet.",
    url: "URL, die die Client-Adresse zurückgibt",
    urlHint: "Muss mit der Adresse des Clients antworten; wird über jeden Ausgang abgerufen.",
    name: "Domain, die die Resolver-Adresse zurückgibt",
    nameHint: "Die Antwort muss die Adresse des Resolvers enthalten, der die Abfrage gesendet hat.",
    saved: "Leck-Überwachung gespeichert",
    state: (enabled) => (enabled ? "Läuft nach jeder Tunneländerung" : "Läuft nur auf Anforderung"),
  },

  own: {
    title: "Lecks",
    check: "Dieses Gerät prüfen",
    unchecked: "Noch nicht geprüft.",
    tried: "Blockierte Versuche",
    noAttempts: "Keine Versuche.",
    packets: (count, written) => (count === 1 ? "1 Paket" : `${written} Pakete`),
    sources: {
      device: "Eigene Einstellung",
      class: (name) => `Aus Klasse ${name}`,
      system: "Voreinstellung für alle Geräte",
    },
    reset: "Einstellung der Klasse verwenden",
    resetSystem: "Voreinstellung verwenden",
    resetFor: (what) => `${what}: eigene Einstellung entfernen`,
  },

  portal: {
    title: "Captive Portal",
    check: "Auf Portal prüfen",
    text: "Das Gateway ruft selbst eine Testseite ab, ohne Daten von Geräten, um festzustellen, ob ein Captive Portal das Internet blockiert.",
    states: {
      open: "Kein Portal: Das Internet ist erreichbar",
      captive: "Ein Captive Portal blockiert das Internet",
      offline: "Keine Antwort",
    },
    through: (uplink) => `Geprüft über ${uplink}`,
    url: "Portalseite",
    addresses: "Adressen des Portals",
    evidence: "Anfragen und Antworten",
    letThrough: "Zum Anmelden öffnen Sie das Portal für ein Gerät: auf dessen Seite, unter Ausnahmen.",
    action: "Captive Portal öffnen",
    dialog: (name) => `Captive Portal für ${name} öffnen`,
    explains: (name) =>
      `Gibt es ein Portal, werden nur dessen Adressen für ${name} geöffnet, ohne VPN. Anderer Verkehr ist nicht betroffen.`,
    minutes: "Dauer",
    lasts: (count) => (count === 1 ? "1 Minute" : `${count} Minuten`),
    act: "Prüfen und öffnen",
    again: "Erneut prüfen",
    nothingOpened: "Nichts wurde geöffnet.",
    opened: (name) => `Für ${name} offen:`,
    openIt: "Öffnen Sie diese Seite auf dem Gerät, und melden Sie sich dort an.",
    end: "Jetzt beenden",
    ended: "Portal-Ausnahme beendet",
    endedAlready: "Die Portal-Ausnahme ist beendet.",
  },
};
