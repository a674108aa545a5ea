/** Zustand der Bestandteile des Gateways, Hindernisse für ein Upgrade und für die Einrichtung. */
export const observerReasons = {
  troubles: "{troubles}",
  engine_failed: "{engine}: {message}",
  interface_because: "{interface}: {why}",
  and_others: "und weitere",

  ledger_revision: "Revision {revision}",
  secrets_encrypted: "Geheimnisse sind verschlüsselt",
  secrets_plain:
    "Geheimnisse sind im Klartext gespeichert: die Passphrase wurde entfernt. POST /secrets/set-passphrase verschlüsselt sie",
  secrets_locked: "die Passphrase ist verloren: geben Sie dieselbe mit POST /secrets/set-passphrase erneut ein",
  secret_lost:
    "ein Geheimnis kann nicht entschlüsselt werden: die Passphrase ist nicht die, mit der es verschlüsselt wurde. Stellen Sie die Datei secrets.passphrase im Zustandsordner aus einer Sicherung wieder her und starten Sie den Daemon neu, oder geben Sie das Geheimnis erneut ein; `portcullis secrets` zeigt es",
  secrets_lost:
    "{secrets} Geheimnisse können nicht entschlüsselt werden: die Passphrase ist nicht die, mit der sie verschlüsselt wurden. Stellen Sie die Datei secrets.passphrase im Zustandsordner aus einer Sicherung wieder her und starten Sie den Daemon neu, oder geben Sie die Geheimnisse erneut ein; `portcullis secrets` zeigt sie",
  access_off: "die Anmeldung ist ausgeschaltet: jede Anfrage hat die Rolle admin",
  access_owned: "es gibt ein Administratorkonto oder einen Administratorschlüssel",
  access_unclaimed: "es gibt noch kein Administratorkonto; der Einrichtungscode legt es an",
  dataplane_disabled: "nichts wird durchgesetzt: dataplane.enabled ist false",
  enforcement_provisional:
    "die erste Durchsetzung auf dieser Maschine wird am {deadline} zurückgenommen, wenn sie nicht bestätigt wird",
  enforcement_no_boot_guard:
    "beim Systemstart wird kein Guard geladen, bevor der Daemon startet. `systemctl enable portcullis-guard.service` auf dem Gateway aktiviert ihn",
  enforcement_interfaces_exist: "die konfigurierten Schnittstellen existieren",
  dataplane_failed: "{failures}. `portcullis enforce reconcile` versucht es sofort erneut",
  dataplane_in_force: "Revision {revision} ist in Kraft",
  dataplane_behind:
    "Revision {published} ist veröffentlicht, Revision {applied} ist in Kraft. `portcullis reconcile` zeigt den Fortschritt",
  egress_unknown: "es ist nicht bekannt, welche Geräte Zugang zum Internet haben: {why}",
  egress_no_device:
    "kein Gerät hat Zugang zum Internet: kein Gerät ist bekannt, und unbekannte Geräte sind blockiert. `portcullis devices create`, danach eine Richtlinie (POST /routing/policies)",
  egress_all_blocked:
    "kein Gerät hat Zugang zum Internet: alle {devices} bekannten Geräte sind blockiert, unbekannte ebenso. `portcullis fail-matrix` zeigt, welche Hops ausgefallen sind, `portcullis evaluate <device>` den Grund",
  egress_all_direct:
    "kein Gerät ist geschützt: der gesamte Verkehr nutzt die direkte Verbindung. Importieren Sie einen Tunnel, und leiten Sie Geräte mit einer Richtlinie hindurch (POST /routing/policies)",
  egress_none_protected:
    "kein Gerät ist geschützt: {blocked} von {devices} bekannten Geräten sind blockiert, und der Verkehr der anderen nutzt die direkte Verbindung. `portcullis fail-matrix` zeigt, welche Hops ausgefallen sind",
  egress_protected: "{protected} von {devices} bekannten Geräten sind geschützt",
  egress_partly_blocked: "{protected} von {devices} bekannten Geräten sind geschützt, {blocked} blockiert",
  tunnels_up: "{up} von {tunnels} Tunneln sind aktiv",
  tunnels_down:
    "{up} von {tunnels} Tunneln sind aktiv. Ausgefallen: {down}. `portcullis tunnels` zeigt sie, `portcullis tunnels down <id>` schaltet einen aus",
  tunnel_because: "{tunnel} ({why})",
  dns_none_wanted: "es soll kein Resolver laufen",
  dns_resolvers_run: "laufende Resolver: {resolvers}",
  filter_works: "Abfragen werden gefiltert",
  filter_behind:
    "die letzte Änderung von Regeln oder Listen ist noch nicht in Kraft; bleibt das so, nennt das Protokoll des Daemons den Grund",
  filter_switched_off: `die Filterung ist ausgeschaltet: \`portcullis dns configure '{"filtering_enabled": true}'\` schaltet sie wieder ein`,
  filter_off: "die Filterung ist ausgeschaltet: dns.filtering_enabled ist false",
  pauses_none: "nichts ist pausiert",
  pauses_some: "Pausen von Geräten und Gruppen: {pauses}",
  pauses_everyone:
    "für alle pausiert: {types}, längstens bis {until}: `portcullis pause active` zeigt die Pausen, `portcullis pause end <id>` beendet eine",
  dhcp_no_range: "es ist kein Adressbereich konfiguriert",
  dhcp_leases: "Adressen werden vergeben auf {interfaces}",
  dhcp_idle: "es werden keine Adressen vergeben auf {interfaces}",
  advertisement_none: "das Gateway gibt sich nicht als IPv6-Router bekannt",
  advertisement_works: "das Gateway gibt sich als IPv6-Router bekannt auf {interfaces}",
  advertisement_idle: "das Gateway gibt sich nicht als IPv6-Router bekannt auf {interfaces}",

  programs_installed: "alle Programme sind installiert",
  programs_missing:
    "notwendige Programme sind nicht installiert: {programs}. `apt install iproute2 nftables iputils-ping procps`",
  features_missing: "nicht verfügbar, weil Programme fehlen: {features}",
  feature_leak_probes: "Prüfpakete der Leckprüfung ({programs})",
  feature_leak_connections: "Verbindungen in der Leckprüfung ({programs})",
  feature_wireguard: "WireGuard-Tunnel ({programs})",
  feature_wireguard_go: "WireGuard-Tunnel ohne Unterstützung durch den Kernel ({programs})",
  feature_openvpn: "OpenVPN-Tunnel ({programs})",
  feature_socks_hops: "SOCKS5-Hops ({programs})",
  feature_socks_listeners: "SOCKS5-Listener ({programs})",
  feature_dns: "DNS ({programs})",
  feature_dns_zones: "lokale DNS-Zonen ({programs})",
  feature_dhcp: "DHCP-Server ({programs})",
  feature_captures: "Paketmitschnitte ({programs})",
  feature_advertisements: "IPv6-Router-Advertisements ({programs})",
  feature_dnssec_clock: "DNSSEC bei möglicherweise falscher Uhr ({programs})",
  feature_captive: "Erkennung von Captive Portals ({programs})",
  feature_certificate: "eigenes Zertifikat des Gateways ({programs})",

  upgrade_change_pending: "eine Änderung wartet auf ihre Bestätigung",
  upgrade_disk_full: "auf dem Datenträger des Zustandsordners sind weniger als {mebibytes} MiB frei",
  setup_no_file: "dieser Daemon läuft ohne Konfigurationsdatei; starten Sie ihn mit --config",
  setup_in_force:
    "das Gateway ist auf dieser Maschine in Kraft, und seine Geräte verlassen sich darauf. Ändern Sie die Schnittstellen in {file}, und starten Sie den Daemon neu",
  setup_unconfirmed:
    "die letzte Einrichtung wartet auf ihre Bestätigung. Bestätigen Sie sie (`portcullis confirm`), oder machen Sie sie rückgängig (`portcullis setup --cancel`)",
};
