import type { Messages } from "../en/en.ts";

const devices = (count: number) => (count === 1 ? "1 Gerät" : `${count} Geräte`);
export const byChoice = "Durch eine Regel, eine Ausnahme, oder weil keine Regel sie durch einen Tunnel schickt.";
export const goDirect = (exposed: number, all: number) =>
  `${exposed} von ${ofDevices(all)} ${exposed === 1 ? "geht" : "gehen"} direkt ins Internet, ohne VPN.`;
const ofDevices = (count: number) => (count === 1 ? "1 Gerät" : `${count} Geräten`);

export const privacy: Messages["privacy"] = {
  subtitle: "Was geht hinaus, und was bleibt drin?",
  checkAll: "Jetzt auf Lecks prüfen",
  toPrivacy: "Was versucht wurde",

  summary: "Auf einen Blick",
  summaries: ({ kind, leaking = 0, exposed = 0, all = 0 }) =>
    ({
      "no devices": {
        title: "Noch ist kein Gerät bekannt.",
        detail: "Geräte werden auf der Seite Geräte hinzugefügt.",
      },
      leaking: {
        title: leaking === 1 ? "1 Gerät ist undicht." : `${leaking} Geräte sind undicht.`,
        detail: "Etwas geht einen anderen Weg hinaus, als es soll. Was gefunden wurde, steht unten.",
      },
      "never checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Für alle ist gesorgt.",
        detail: "So ist es gewollt. Ob es hält, hat noch keine Prüfung versucht.",
      },
      "not all checked": {
        title: exposed > 0 ? goDirect(exposed, all) : "Für alle ist gesorgt.",
        detail: "So ist es gewollt. Die letzte Prüfung hat nicht alle angesehen.",
      },
      "at risk": {
        title: "Nichts ist undicht, aber etwas ist nicht, wie es sein soll.",
        detail:
          "Eine Schicht, die Geräte schützt, wurde geändert, ein Gerät fragt einen fremden Resolver, oder nicht alles ließ sich versuchen. Was gefunden wurde, steht unten.",
      },
      "some direct": {
        title: `Nichts ist undicht; ${goDirect(exposed, all)}`,
        detail: byChoice,
      },
      "no-leak": {
        title: "Nichts ist undicht.",
        detail: "Jedes Gerät geht durch einen Zwischenschritt oder ist zu; die letzte Prüfung fand keinen Weg vorbei.",
      },
    })[kind],

  system: {
    title: "Für alle anderen",
    holdsFor: (some, all) =>
      all === 0
        ? "Gilt für Geräte ohne Schutzklasse und ohne eigenen Schalter."
        : `Gilt für Geräte ohne Schutzklasse und ohne eigenen Schalter: gerade ${some} von ${all}.`,
    hints: {
      force_dns: "Welchen Resolver ein Gerät auf Port 53 auch fragt, das Gateway antwortet.",
      block_doh: "Bekannte Resolver für verschlüsseltes DNS werden verweigert, damit keine App die Filter umgeht.",
      block_ipv6: "Nichts geht über IPv6 hinaus; Seiten werden über IPv4 erreicht.",
      block_webrtc: "Webseiten können die wahre Adresse nicht erfragen. Anrufe im Browser nehmen vielleicht Umwege.",
    },
    ruled: {
      system: "An: das Gateway beantwortet ohnehin jede Frage.",
      off: "Ruht: Fragen nach Namen bleiben unberührt.",
    },
    dnsHints: {
      system: "Jede Frage auf Port 53 wird hier beantwortet, an wen sie auch ging.",
      device: "Ein Gerät darf jeden Resolver fragen, solange seine Fragen nicht ans Gateway geleitet werden.",
      off: "Das Gateway lässt Fragen an andere Resolver unberührt, auch wo sie ans Gateway geleitet würden.",
    },
    classesElsewhere: "Schutzklassen",
  },
  switched: (what, on, whom) => `${what}: ${on ? "an" : "aus"}${whom === null ? "" : ` für ${whom}`}`,
  switchedBack: (what, whom) => `${what}: ${whom} hat keinen eigenen Schalter mehr`,
  unenforced: (done) => `${done}; der Kernel hat es noch nicht`,
  dnsModeSet: "Geändert, wer Fragen nach Namen beantwortet",

  table: {
    title: "Geräte",
    label: "Geräte und wie sie geschützt sind",
    find: "Finden",
    findExample: "Name oder Grund",
    posture: "Zustand",
    any: "Alle",
    none: "Noch ist kein Gerät bekannt.",
    noMatch: "Kein Gerät passt.",
    showAll: "Alle zeigen",
    device: "Gerät",
    reason: "Warum",
    controls: "Schalter",
    tried: "Versuche",
    verdict: "Letzte Prüfung",
    noControls: "Keiner ist an",
  },
  sources: { device: "Eigener", class: (name) => `Klasse ${name}`, system: "Alle" },
  allowed: {
    force_dns: "jeder Resolver",
    block_doh: "verschlüsseltes DNS erlaubt",
    block_ipv6: "IPv6 erlaubt",
    block_webrtc: "STUN erlaubt",
  },

  verdicts: {
    "no-leak": "Dicht",
    leaking: "Undicht",
    "at-risk": "Gefährdet",
    direct: "Geht direkt",
    unchecked: "Ungeprüft",
  },
  severities: { leak: "Undicht", risk: "Gefährdet", intended: "So gewollt" },
  causes: {
    "exposed-by-policy": "Eine Regel lässt es direkt hinaus",
    "exposed-by-exception": "Eine Ausnahme lässt es direkt hinaus",
    "direct-fallback": "Sein Tunnel ist ausgefallen, und seine Regel erlaubt die direkte Verbindung",
    "foreign-rule": "Die Regel eines anderen Programms kommt vor unserer",
    "wrong-route": "Eine Route führt am Tunnel vorbei",
    "guard-missing": "Die Wache fehlt im Kernel",
    "steering-changed": "Was seine Pakete lenkt, wurde geändert",
    "foreign-translation": "Ein anderes Programm schreibt Adressen um",
    "stale-connection": "Eine alte Verbindung geht noch den alten Weg",
    "ipv6-beside-tunnel": "IPv6 geht am Tunnel vorbei",
    "foreign-resolver": "Es fragt einen fremden Resolver nach Namen",
    "dns-in-the-clear": "Fragen nach Namen gehen ungeschützt hinaus",
    "tunnel-egress-is-uplink": "Der Tunnel endet an der Adresse dieses Hauses",
    "kernel-settings": "Eine Einstellung des Kernels wurde geändert",
    "seen-outside": "Ein Paket von ihm wurde draußen gesehen",
  },
  check: {
    title: "Letzte Prüfung auf Lecks",
    none: "Noch keine. Sie versucht, wie jedes Gerät an den Tunneln vorbei hinauszukommen, und zeigt, was daraus wurde.",
    sentences: {
      "no-leak": (tried) => `${devices(tried)} versucht: nichts ging einen anderen Weg als den eigenen.`,
      "at-risk": (tried) => `${devices(tried)} versucht: nichts ist undicht, aber etwas ist nicht, wie es sein soll.`,
      leaking: (tried) => `${devices(tried)} versucht: etwas geht einen anderen Weg als den eigenen.`,
    },
    because: {
      request: "jemand hat darum gebeten",
      "tunnel-change": "ein Tunnel hatte sich geändert",
    },
    discarded: "Tunnel oder Regeln haben sich währenddessen geändert; sie sagt also nichts. Bitte noch einmal prüfen.",
    direct: (count) => (count === 1 ? "1 Gerät geht direkt, so gewollt." : `${count} Geräte gehen direkt, so gewollt.`),
    gateway: "Das Gateway selbst",
    more: (count) => `und ${count === 1 ? "1 weiteres Gerät" : `${count} weitere Geräte`}`,
    moreOf: (count) => `und ${count} weitere dieser Art`,
    each: "Was für ein Gerät versucht wurde, steht auf seiner Seite.",
    evidence: (count) => (count === 1 ? "1 Beleg" : `${count} Belege`),
    tried: (count) => (count === 1 ? "1 Sache wurde angesehen" : `${count} Dinge wurden angesehen`),
    what: "Angesehen",
    expected: "Erwartet",
    found: "Gefunden",
    asExpected: "Wie erwartet",
    done: {
      "no-leak": "Geprüft: nichts ist undicht",
      "at-risk": "Geprüft: nichts ist undicht, aber etwas ist nicht, wie es sein soll",
      leaking: "Geprüft: etwas ist undicht",
    },
    doneDiscarded: "Tunnel oder Regeln haben sich währenddessen geändert; die Prüfung sagt nichts",
  },

  attempts: {
    title: "Was Geräte versuchten",
    text: "Es wurde am Tor angehalten. Nur Fragen an fremde Resolver gehen durch, wo sie nicht ans Gateway geleitet werden.",
    since: "Gezählt seit",
    off: "Nichts wird gezählt: die Datenebene ist abgeschaltet.",
    none: "Niemand hat etwas versucht.",
    device: "Gerät",
    kind: "Was es versuchte",
    packets: "Pakete",
    last: "Zuletzt",
    kinds: {
      blocked: "Hinauszugehen, während seine Zwischenschritte fehlen",
      dropped: "Einen anderen Weg hinaus als den eigenen",
      "foreign-resolver": "Einen fremden Resolver nach Namen zu fragen",
      "encrypted-dns": "Verschlüsseltes DNS mit Fremden",
      stun: "Seine wahre Adresse zu erfahren (STUN)",
      ipv6: "Über IPv6 hinauszugehen",
      "forged-sender": "Mit einer fremden Adresse zu senden",
    },
  },

  monitor: {
    edit: "Wächter einrichten",
    title: "Leckwächter",
    enabled: "Nach jeder Tunneländerung prüfen",
    enabledHint: "Dann versucht das Gateway von selbst, an den Tunneln vorbei hinauszukommen.",
    settle: "Sekunden nach der Änderung",
    settleHint: "Damit der Tunnel zur Ruhe gekommen ist. 0 bis 300.",
    outside: "Zeugen draußen. Solange ein Feld leer ist, wird niemand gefragt.",
    url: "Seite, die die eigene Adresse sagt",
    urlHint: "Sie antwortet mit der Adresse, von der sie gefragt wurde; jeder Weg hinaus fragt sie.",
    name: "Name, der den eigenen Resolver sagt",
    nameHint: "Seine Antwort sagt, welcher Resolver nach ihm gefragt hat.",
    saved: "Der Leckwächter ist eingerichtet",
    state: (enabled) => (enabled ? "Prüft nach jeder Tunneländerung" : "Prüft nur auf Wunsch"),
  },

  own: {
    title: "Lecks",
    check: "Dieses Gerät prüfen",
    unchecked: "Es wurde noch nicht geprüft.",
    tried: "Was es versuchte",
    noAttempts: "Es hat nichts dergleichen versucht.",
    packets: (count, written) => (count === 1 ? "1 Paket" : `${written} Pakete`),
    sources: {
      device: "Sein eigener Schalter",
      class: (name) => `Aus der Klasse ${name}`,
      system: "Gilt für alle",
    },
    reset: "Wie die Klasse sagt",
    resetSystem: "Wie für alle",
    resetFor: (what) => `${what}: eigenen Schalter zurücknehmen`,
  },

  portal: {
    title: "Anmeldeseite von Hotel oder Zug",
    check: "Nach einer Anmeldeseite sehen",
    text: "Das Gateway fragt selbst, ohne etwas von einem Gerät, ob jemand zwischen dem Zugang und dem Internet steht.",
    states: {
      open: "Keine Anmeldeseite: das Internet antwortet",
      captive: "Eine Anmeldeseite steht im Weg",
      offline: "Niemand antwortet",
    },
    through: (uplink) => `Gefragt über ${uplink}`,
    url: "Anmeldeseite",
    addresses: "Adressen der Anmeldeseite",
    evidence: "Was gefragt wurde und was kam",
    letThrough: "Um daran vorbeizukommen, meldet sich ein Gerät an: auf seiner Seite, unter Ausnahmen.",
    action: "An Anmeldeseite vorbeilassen",
    dialog: (name) => `${name} an einer Anmeldeseite vorbeilassen`,
    explains: (name) =>
      `Gibt es eine, werden ihre Adressen, und sonst nichts, für ${name} ungeschützt geöffnet. Alles andere bleibt, wie es ist.`,
    minutes: "Wie lange",
    lasts: (count) => (count === 1 ? "1 Minute" : `${count} Minuten`),
    act: "Nachsehen und hindurchlassen",
    again: "Noch einmal sehen",
    nothingOpened: "Nichts wurde geöffnet.",
    opened: (name) => `Für ${name} offen:`,
    openIt: "Diese Seite auf dem Gerät öffnen und sich dort anmelden.",
    end: "Jetzt beenden",
    ended: "Der Weg hindurch ist wieder zu",
    endedAlready: "Der Weg hindurch ist zu.",
  },
};
