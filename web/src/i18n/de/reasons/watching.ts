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
  alert_drift:
    "ein anderes Programm hat die Regeln des Gateways geändert: {first}, insgesamt {items}; sie wurden wiederhergestellt",
  alert_new_device: "{name} ist ein neues Gerät an {interface}",
  alert_new_devices: "{count} neue Geräte sind im LAN",
};
