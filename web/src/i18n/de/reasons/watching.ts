/** Gründe von Alarmen, und warum Geräte oder Datenverkehr nicht beobachtet werden. */
export const watchingReasons = {
  discovery_overloaded:
    "ein Gerät im LAN sendet zu viele Nachrichten; in einer halben Minute werden sie wieder empfangen",
  vendors_not_installed: "das Paket ieee-data ist nicht installiert",
  traffic_not_read: "die Zähler des Kernels wurden noch nicht gelesen oder können nicht gelesen werden",
  alert_leak: "{name} hat ein Leck: {finding}",
  alert_policy_blocked: "die Hops der Richtlinie {name} sind ausgefallen, und ihre Geräte sind blockiert",
  alert_policy_direct: "die Hops der Richtlinie {name} sind ausgefallen, und ihre Geräte nutzen die direkte Verbindung",
  alert_tunnel_down: "der Tunnel {name} ist ausgefallen",
  alert_tunnel_flap: "der Tunnel {name} hat {changes}-mal zwischen verbunden und ausgefallen gewechselt",
  alert_dns_down: "DNS funktioniert nicht: {why}",
  alert_dns_bypass: "{name} hat {packets} Pakete an andere Resolver gesendet",
  alert_port_scan: "{name} hat mindestens {targets} verschiedene Adressen und Ports angesprochen",
  alert_port_scan_examples:
    "{name} hat mindestens {targets} verschiedene Adressen und Ports angesprochen, zum Beispiel {examples}",
  alert_port_scan_incomplete:
    "{packets} neue Verbindungen wurden nicht erfasst, weil es zu viele verschiedene sind; ein Portscan wird eventuell nicht erkannt",
  scans_not_read_yet: "die neuen Verbindungen der Geräte wurden noch nicht gelesen",
  scans_not_read:
    "Portscans werden nicht erkannt: die neuen Verbindungen der Geräte können nicht gelesen werden: {why}",
  scans_incomplete:
    "in den letzten 15 Minuten wurden einige neue Verbindungen nicht erfasst, weil es zu viele verschiedene sind; ein Portscan wird eventuell nicht erkannt",
  scans_read: "neue Verbindungen werden verglichen; in 15 Minuten haben {senders} Geräte welche geöffnet",
  alert_drift:
    "ein anderes Programm hat die Regeln des Gateways geändert: {first}, insgesamt {items}; sie wurden wiederhergestellt",
  alert_new_device: "{name} ist ein neues Gerät an {interface}",
  alert_test: "dies ist ein Test des Alarmkanals {name}",
  delivery_accepted: "der Empfänger hat die Nachricht angenommen",
  delivery_answered: "der Empfänger hat die Nachricht angenommen: {answer}",
  delivery_status: "der Empfänger hat mit {status} geantwortet",
  delivery_status_answer: "der Empfänger hat mit {status} geantwortet: {answer}",
  delivery_partial: "der Mailserver hat {addresses} abgelehnt: {answer}; die übrigen Empfänger haben die Nachricht",
  push_ended:
    "der Browser hat sein Abonnement beendet, und der Kanal ist ausgeschaltet: in diesem Browser erneut abonnieren",
  delivery_expired: "nach {attempts} Versuchen in drei Tagen aufgegeben: {why}",
  alert_channels_none: "kein Alarmkanal ist eingeschaltet, Alarme werden also nur hier angezeigt",
  alert_channels_unused:
    "{channels} Alarmkanäle haben mit ihren Einstellungen noch nichts gesendet; `portcullis alert-channels test` sendet eine Nachricht",
  alert_channels_refused:
    "Alarme haben die Empfänger von {channels} Alarmkanälen nicht erreicht; siehe `portcullis alert-deliveries list`",
  alert_channels_failing:
    "{channels} Alarmkanäle erreichen ihren Empfänger nicht und versuchen es weiter; siehe `portcullis alert-deliveries list`",
  alert_channels_working: "die letzte Nachricht jedes Alarmkanals wurde angenommen",
  mqtt_off: "die Verbindung zu einem MQTT-Broker ist nicht eingeschaltet",
  mqtt_connecting: "das Gateway verbindet sich mit dem MQTT-Broker",
  mqtt_connected: "der MQTT-Broker hat die aktuellen Zustände",
  mqtt_accepted: "der MQTT-Broker hat die Verbindung und eine Nachricht angenommen",
  mqtt_login_refused: "der MQTT-Broker hat den Benutzer oder das Passwort abgelehnt",
  mqtt_refused: "der MQTT-Broker hat die Verbindung mit dem Code {number} abgelehnt",
  mqtt_unreachable: "es gibt keine Verbindung zum MQTT-Broker: {why}",
  mqtt_failing: "{why}; Home Assistant erhält keine Zustände, siehe `portcullis mqtt status`",
  alert_new_devices: "{count} neue Geräte sind im LAN",
};
