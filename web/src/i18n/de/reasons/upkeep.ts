/** Wie viel von einer Ressource belegt ist, und was mit einem Zertifikat nicht stimmt. */
export const upkeepReasons = {
  resource_disk: "{used} % des Speicherplatzes von {folder} sind belegt, {mebibytes} MiB sind übrig",
  resource_inodes: "{used} % der Inodes von {folder} sind belegt, {left} sind übrig",
  resource_memory: "{used} % des Arbeitsspeichers sind belegt, {mebibytes} MiB sind übrig",
  resource_memory_limit:
    "{used} % des Arbeitsspeichers, den die Control Group des Daemons nutzen darf, sind belegt, {mebibytes} MiB sind übrig",
  resource_files: "{used} % der Datei-Handles des Daemons sind belegt, {left} sind übrig",
  resource_machine_files: "{used} % der Datei-Handles der Maschine sind belegt, {left} sind übrig",
  resource_conntrack:
    "{used} % der Verbindungen, die der Kernel verfolgen kann (nf_conntrack_max), sind belegt, {left} sind übrig",
  resource_unknown: "wie viel von {resource} belegt ist, ist unbekannt: {why}",
  resources_sufficient: "ausreichend: {resources}",
  resources_exhausted:
    "fast erschöpft: {resources}. `portcullis platform` zeigt Speicherplatz und Arbeitsspeicher der Maschine",
  resources_unknown: "{resources}. `portcullis platform` zeigt Speicherplatz und Arbeitsspeicher der Maschine",

  certificate_expiring: "das Zertifikat von {owners} ({subject}) läuft am {at} ab",
  certificate_expired: "das Zertifikat von {owners} ({subject}) ist am {at} abgelaufen",
  certificate_refused: "das Zertifikat von {owners} ({subject}) ist abgelaufen: sein Server wurde am {at} abgelehnt",
  certificate_not_yet_valid: "das Zertifikat von {owners} ({subject}) ist erst ab {at} gültig",
  certificate_unreadable: "das Zertifikat von {owner} kann nicht gelesen werden: {why}",
  certificate_files_unused:
    "der API-Server behält sein bisheriges Zertifikat, weil die Dateien von tls.cert_file und tls.key_file nicht verwendet werden können: {why}",
  certificate_not_made: "das Gateway kann sein eigenes Zertifikat nicht erneuern: {why}",
  certificates_valid:
    "{certificates} Zertifikate sind gültig; als nächstes läuft das von {owners} ({subject}) ab, am {at}",
  certificates_none: "kein Zertifikat wird verwendet",
  certificates_attention:
    "{troubles}. Ersetzte Dateien von tls.cert_file und tls.key_file werden ohne Neustart verwendet; `portcullis tunnels` zeigt die Tunnel",
};
