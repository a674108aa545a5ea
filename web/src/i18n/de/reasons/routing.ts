/** Befunde zu Richtlinien, Pfade einer Verteilung, fremde Änderungen am Kernel und Schritte der Portalerkennung. */
export const routingReasons = {
  policy_contradicts: "beide treffen denselben Verkehr mit derselben Priorität und behandeln ihn verschieden",
  policy_duplicate: "eine frühere Richtlinie leitet denselben Verkehr über dieselben Hops",
  policy_shadowed: "eine frühere, weiter gefasste Richtlinie trifft zuerst; diese wird nie ausgewertet",
  policy_without_device: "die Richtlinie nennt ein Gerät, das es nicht mehr gibt",
  policy_without_group: "die Richtlinie nennt eine Gerätegruppe, die es nicht mehr gibt",
  policy_without_vpn: "die Richtlinie nennt das VPN {target}, das es nicht gibt",
  policy_without_interface: "die Richtlinie nennt die Schnittstelle {target}, die es nicht gibt",
  policy_without_proxy: "die Richtlinie nennt den Proxy {target}, den es nicht gibt",
  policy_without_mesh_peer: "die Richtlinie nennt den Mesh-Peer {target}, den es nicht gibt",
  policy_half:
    "die Richtlinie erfasst nur IPv{covered}: IPv{open} von {interface} nutzt die direkte Verbindung, ohne Schutz",
  policy_exposes:
    "das Gerät {device} nutzt durch sie die direkte Verbindung, obwohl die Datenschutzklasse einen Tunnel verlangt",
  policy_exposes_several:
    "das Gerät {device} und {more} weitere nutzen durch sie die direkte Verbindung, obwohl die Datenschutzklasse einen Tunnel verlangt",
  policy_may_expose:
    "das Gerät {device} nutzt die direkte Verbindung, solange ihre Hops ausgefallen sind, obwohl die Datenschutzklasse einen Tunnel verlangt",
  policy_may_expose_several:
    "das Gerät {device} und {more} weitere nutzen die direkte Verbindung, solange ihre Hops ausgefallen sind, obwohl die Datenschutzklasse einen Tunnel verlangt",

  split_no_resolver: "kein Resolver auf diesem Pfad",
  split_own_resolver: "in der Konfiguration des Tunnels angegeben",
  split_system_resolver: "die Konfiguration des Tunnels gibt keinen an",
  split_unset_resolver: "die Konfiguration des Tunnels gibt keinen an, dns.upstream_servers auch nicht",
  split_staged: "die Richtlinie ist vorgemerkt; sie wirkt mit dem nächsten Anwenden",
  split_in_force: "die Richtlinie ist in Kraft",
  split_published: "die Richtlinie ist veröffentlicht, aber noch nicht vollständig in Kraft",

  drift_objects: "{objects}",
  drift_rule: "{count} × Regel",
  drift_chain: "{count} × Kette",
  drift_set: "{count} × Menge",
  drift_map: "{count} × Map",
  drift_element: "{count} × Element",
  drift_object: "{count} × {kind}",
  drift_table: "Tabelle",
  drift_running: "läuft",
  drift_served: "wird beantwortet",
  drift_in_use: "in Gebrauch",
  drift_there: "vorhanden",
  drift_as_wanted: "wie gewünscht",
  drift_other: "abweichend",

  portal_unresolved: "{resolver} hat keine Adresse für {host}",
  portal_resolved: "{resolver} löst {host} zu {addresses} auf",
  portal_no_resolver: "es gibt keinen Resolver für {host}",
  portal_private: "{host} ist ein öffentlicher Name mit einer privaten Adresse: ein Portal hat dafür geantwortet",
  portal_unknown_address: "die Adresse ist unbekannt",
  portal_out_of_time: "das Zeitlimit der Prüfung ist erreicht",
  portal_no_http: "das ist keine HTTP-Antwort",
  portal_silent: "{url}: keine Antwort: {why}",
  portal_expected: "{url}: Status {status}, der erwartete Inhalt",
  portal_redirects: "{url}: Status {status}, Weiterleitung zu {to}",
  portal_other_content: "{url}: Status {status}, anderer Inhalt als erwartet",
  portal_refused: "{host} hat die Adresse {address}, die kein Portal sein kann: sie wird nicht freigegeben",
  portal_not_in_force: "die Ausnahme ist noch nicht in Kraft: siehe /health",
};
