import type { Messages } from "../en/en.ts";

export const pqCrypto: Messages["pqCrypto"] = {
  title: "Post-Quanten-TLS",
  intro:
    "Eine heute aufgezeichnete Verbindung kann mit einem künftigen Quantencomputer gelesen werden, wenn ihre Schlüssel nicht mit einer Post-Quanten-Gruppe ausgetauscht wurden. Der Modus gilt für Sitzungen, die das Gateway ab jetzt öffnet; offene behalten ihren.",
  change: "Ändern",
  saved: "Der Modus gilt für neue Sitzungen.",
  modes: {
    default: "Voreinstellung: was die TLS-Bibliothek anbietet",
    preferred: "Bevorzugt: Post-Quanten-Gruppen zuerst, klassische, wenn der Server keine andere hat",
    required: "Verlangt: nur Post-Quanten-Gruppen",
  },
  mode: {
    label: "Modus",
    hint: "Verlangt: Server ohne Post-Quanten-Schlüsselaustausch werden nicht erreicht. Ihre Warnungen, Listen und DNS-Anfragen schlagen fehl.",
  },
  offered: "Jetzt angebotene Gruppen",
  connections: "Verbindungen über TLS",
  purpose: "Zweck",
  program: "Programm",
  governs: "Durch den Modus",
  yes: "Ja",
  no: "Nein: TLS des Systems",
  kinds: {
    alert_channels: "Warnungen: Webhook, Telegram, E-Mail, ntfy, MQTT, Browser",
    home_assistant: "Home Assistant (MQTT)",
    external_filter: "Externer DNS-Filter",
    block_lists: "Herunterladen von Sperrlisten",
    address_echo: "Echo-Seite der Leck-Prüfung",
    dns_upstreams: "DNS-Upstreams über TLS und HTTPS",
    captive_portal: "Prüfung auf Captive Portals",
    openvpn: "OpenVPN-Tunnel",
  },
};
