import type { ListFormat } from "./lists.model.ts";

/** A popular list, offered by name. It is fetched only after the operator selects it. */
export interface Preset {
  readonly name: string;
  readonly category: "ads" | "tracking" | "malware" | "threat" | "adult" | "social" | "gambling" | "other";
  readonly url: string;
  readonly format: Exclude<ListFormat, "auto">;
  readonly refreshHours: number;
  /** The page with its description and terms. */
  readonly about: string;
  /** Short, and with few entries that block what is needed. */
  readonly recommended: boolean;
}

const common: readonly (Omit<Preset, "recommended"> & { readonly recommended?: true })[] = [
  {
    name: "StevenBlack, ads and malware",
    category: "ads",
    url: "https://raw.githubusercontent.com/StevenBlack/hosts/master/hosts",
    format: "hosts",
    refreshHours: 24,
    about: "https://github.com/StevenBlack/hosts",
  },
  {
    name: "OISD small",
    category: "ads",
    url: "https://small.oisd.nl",
    format: "adblock",
    refreshHours: 24,
    about: "https://oisd.nl",
    recommended: true,
  },
  {
    name: "OISD big",
    category: "ads",
    url: "https://big.oisd.nl",
    format: "adblock",
    refreshHours: 24,
    about: "https://oisd.nl",
  },
  {
    name: "AdGuard DNS filter",
    category: "ads",
    url: "https://adguardteam.github.io/HostlistsRegistry/assets/filter_1.txt",
    format: "adblock",
    refreshHours: 24,
    about: "https://github.com/AdguardTeam/AdGuardSDNSFilter",
  },
  {
    name: "Peter Lowe's list",
    category: "ads",
    url: "https://pgl.yoyo.org/adservers/serverlist.php?hostformat=hosts&showintro=0&mimetype=plaintext",
    format: "hosts",
    refreshHours: 72,
    about: "https://pgl.yoyo.org/adservers/",
  },
  {
    name: "HaGeZi light",
    category: "tracking",
    url: "https://raw.githubusercontent.com/hagezi/dns-blocklists/main/wildcard/light-onlydomains.txt",
    format: "domains",
    refreshHours: 24,
    about: "https://github.com/hagezi/dns-blocklists",
  },
  {
    name: "HaGeZi pro",
    category: "tracking",
    url: "https://raw.githubusercontent.com/hagezi/dns-blocklists/main/wildcard/pro-onlydomains.txt",
    format: "domains",
    refreshHours: 24,
    about: "https://github.com/hagezi/dns-blocklists",
  },
  {
    name: "HaGeZi threat intelligence",
    category: "threat",
    url: "https://raw.githubusercontent.com/hagezi/dns-blocklists/main/wildcard/tif-onlydomains.txt",
    format: "domains",
    refreshHours: 12,
    about: "https://github.com/hagezi/dns-blocklists",
  },
  {
    name: "ThreatFox",
    category: "threat",
    url: "https://threatfox.abuse.ch/downloads/hostfile/",
    format: "hosts",
    refreshHours: 6,
    about: "https://threatfox.abuse.ch/export/",
  },
  {
    name: "URLhaus",
    category: "malware",
    url: "https://urlhaus.abuse.ch/downloads/rpz/",
    format: "rpz",
    refreshHours: 6,
    about: "https://urlhaus.abuse.ch/api/",
    recommended: true,
  },
  {
    name: "Phishing Army",
    category: "threat",
    url: "https://phishing.army/download/phishing_army_blocklist.txt",
    format: "domains",
    refreshHours: 6,
    about: "https://phishing.army",
  },
  {
    name: "OISD NSFW",
    category: "adult",
    url: "https://nsfw.oisd.nl",
    format: "adblock",
    refreshHours: 24,
    about: "https://oisd.nl",
  },
  {
    name: "StevenBlack, adult",
    category: "adult",
    url: "https://raw.githubusercontent.com/StevenBlack/hosts/master/alternates/porn-only/hosts",
    format: "hosts",
    refreshHours: 24,
    about: "https://github.com/StevenBlack/hosts",
  },
  {
    name: "StevenBlack, social",
    category: "social",
    url: "https://raw.githubusercontent.com/StevenBlack/hosts/master/alternates/social-only/hosts",
    format: "hosts",
    refreshHours: 72,
    about: "https://github.com/StevenBlack/hosts",
  },
  {
    name: "StevenBlack, gambling",
    category: "gambling",
    url: "https://raw.githubusercontent.com/StevenBlack/hosts/master/alternates/gambling-only/hosts",
    format: "hosts",
    refreshHours: 72,
    about: "https://github.com/StevenBlack/hosts",
  },
  {
    name: "HaGeZi, filter bypass",
    category: "other",
    url: "https://raw.githubusercontent.com/hagezi/dns-blocklists/main/wildcard/doh-vpn-proxy-bypass-onlydomains.txt",
    format: "domains",
    refreshHours: 24,
    about: "https://github.com/hagezi/dns-blocklists",
  },
];

export const presets: readonly Preset[] = common.map((it) => ({ recommended: false, ...it }));
