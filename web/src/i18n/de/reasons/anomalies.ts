/** Was an einem Gerät ungewöhnlich ist, und warum ein Detektor nicht verfügbar ist. */
export const anomalyReasons = {
  anomaly_upload_day:
    "das Gerät hat in 24 Stunden {observed} MiB gesendet; der größte Tag seiner Vergleichswerte hat {expected} MiB",
  anomaly_upload_new:
    "das Gerät hat an {destination}, ein neues Ziel, {observed} MiB mehr gesendet als empfangen; sein Vergleichswert für ein neues Ziel ist höchstens {expected} MiB",
  anomaly_beaconing:
    "das Gerät verbindet sich mit {destination}, einem neuen Ziel, alle {interval_ms}, und die Intervalle streuen um {percent} %",
  anomaly_dns_tunnelling:
    "das Gerät hat in sechs Stunden {names} verschiedene Namen unter {domain} angefragt, die im Mittel {characters} Zeichen und {bits} Bit Entropie pro Zeichen haben",
  anomaly_new_country:
    "das Gerät hat {connections} Verbindungen in das Land {country} geöffnet, in das es keine hatte, die letzte zu {destination}",
  anomaly_unusual_hours:
    "das Gerät ist seit {since} aktiv, mit {observed} MiB pro Stunde; zu diesen Stunden ist sein Vergleichswert höchstens {expected} MiB",
  anomaly_query_rate:
    "das Gerät hat in einer Stunde {observed} DNS-Anfragen gesendet; die größte Stunde seiner Vergleichswerte hat {expected}",
  anomalies_disabled: "die Erkennung von Anomalien ist ausgeschaltet",
  countries_not_installed: "die Listen des Pakets tor-geoipdb mit den Ländern der Adressen sind nicht installiert",
} as const;
