import type { Messages } from "../en/en.ts";

/** "Erwartet: …" */
export const forms: Messages["forms"] = {
  line: "sichtbarer Text in einer Zeile",
  mac: "die MAC-Adresse eines Geräts: zwölf hexadezimale Ziffern, etwa 02:00:00:aa:bb:01; keine Multicast-Adresse",
  kernel_interface:
    "ein Schnittstellenname wie eth0: höchstens 15 Zeichen, ohne Leerzeichen, Schrägstriche, Sterne und Anführungszeichen",
  interface:
    "ein Schnittstellenname wie wg-oslo: höchstens 15 Kleinbuchstaben, Ziffern, Punkte, Bindestriche und Unterstriche, am Anfang ein Buchstabe oder eine Ziffer",
  sha256: "64 hexadezimale Ziffern in Kleinschreibung",
  revision: "eine Revisionsnummer, etwa 17",
  host_name:
    "ein Hostname wie nas oder nas.home.example: Buchstaben, Ziffern, Bindestriche und Unterstriche, Teile durch Punkte getrennt",
  text_line: "Text in einer Zeile",
  text_line_needed: "Text in einer Zeile",
  text: "Text in einer Zeile",
  unicode: "Text in gültigem Unicode",
  no_colon: "Text in einer Zeile ohne Doppelpunkt",
  setting: "der Schlüssel einer Einstellung wie log.level: Kleinbuchstaben, Ziffern, Punkte und Unterstriche",
  record_type_or_number: "ein Eintragstyp wie AAAA, TYPE65 oder 65",
  record_type: "ein Eintragstyp wie A, AAAA oder MX",
  wireguard_key: "32 Bytes in Base64: 44 Zeichen, das letzte =",
  endpoint: "Host und Port, etwa 192.0.2.7:1080, vpn.example.net:51820 oder [2001:db8::7]:1080",
  host: "ein Hostname oder eine Adresse",
  slug: "Kleinbuchstaben, Ziffern und Bindestriche, am Anfang ein Buchstabe oder eine Ziffer",
  account: "Buchstaben, Ziffern, Punkte, Bindestriche, Unterstriche und @",
  url: "eine URL, die mit http:// oder https:// beginnt",
  base_url: "eine URL wie http://192.0.2.7:3000: Schema, Host, Port und Pfad, ohne Zugangsdaten",
  url_no_credentials: "eine URL, die mit http:// oder https:// beginnt, ohne Zugangsdaten",
  list_path: "ein Pfad unterhalb des Listenordners, ohne Punkte als Teile",
  absolute_path: "ein Pfad, der mit einem Schrägstrich beginnt",
  path: "ein Pfad, der mit einem Schrägstrich beginnt, ohne Leerzeichen",
  mail_address: "eine E-Mail-Adresse wie alarm@example.net, ohne Namen davor",
  time_of_day: "eine Uhrzeit wie 22:30",
  bot_token: "das Token eines Bots, etwa 123456789:AAE4xX_0aBcD",
  chat: "die Nummer eines Chats wie -1001234567890 oder @ und der Name eines Kanals",
  topic:
    "Buchstaben, Ziffern, Bindestriche und Unterstriche, für MQTT auch in mehreren Teilen mit Schrägstrichen dazwischen",
  push_url: "eine URL, die mit https:// beginnt, ohne Zugangsdaten",
  push_key: "87 Zeichen in base64url, das erste ein B",
  push_secret: "22 Zeichen in base64url",
  certificate: "Zertifikate im PEM-Format: Text zwischen Zeilen mit BEGIN CERTIFICATE und END CERTIFICATE",
  cursor: "ein Cursor aus dem Link-Header der vorigen Seite",
  uuid: "eine UUID, etwa 01890a5d-ac96-774b-bcce-b302099a8057",
  ip: "eine IPv4- oder IPv6-Adresse, etwa 192.0.2.7 oder 2001:db8::7",
  ipv4: "eine IPv4-Adresse, etwa 192.0.2.7",
  date_time: "eine Zeit wie 2026-01-31T12:00:00Z",
};
