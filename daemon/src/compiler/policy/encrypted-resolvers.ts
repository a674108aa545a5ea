/** A public resolver over HTTPS or TLS. */
interface EncryptedResolver {
  readonly operator: string;
  /** The page of the operator, or of a list, that documents it. */
  readonly source: string;
  /** Addresses and networks that serve nothing but DNS. */
  readonly addresses: readonly string[];
  /** Each with its subdomains. */
  readonly names: readonly string[];
}

const by = (operator: string, source: string, addresses: string, names: string): EncryptedResolver => ({
  operator,
  source,
  addresses: words(addresses),
  names: words(names),
});

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/**
 * As of 2026-11-15. Most entries were compared with AdGuard's list of providers; the operator's own page, named with each,
 * decides. docs/guide/privacy-controls.md explains how to update it. An operator whose addresses also serve other pages is
 * listed by name only.
 */
export const encryptedResolvers: readonly EncryptedResolver[] = [
  by(
    "Google Public DNS",
    "https://developers.google.com/speed/public-dns/docs/using",
    "8.8.8.8 8.8.4.4 2001:4860:4860::8888 2001:4860:4860::8844 2001:4860:4860::64 2001:4860:4860::6464",
    "dns.google dns.google.com google-public-dns-a.google.com google-public-dns-b.google.com",
  ),
  by(
    "Cloudflare",
    "https://developers.cloudflare.com/1.1.1.1/ip-addresses/",
    `1.1.1.1 1.0.0.1 1.1.1.2 1.0.0.2 1.1.1.3 1.0.0.3 104.16.248.249 104.16.249.249 162.159.36.1 162.159.46.1
      162.159.61.4 172.64.41.4 2606:4700:4700::1111 2606:4700:4700::1001 2606:4700:4700::1112
      2606:4700:4700::1002 2606:4700:4700::1113 2606:4700:4700::1003 2606:4700:4700::64 2606:4700:4700::6400
      2606:4700::6810:f8f9 2606:4700::6810:f9f9 2803:f800:53::4 2a06:98c1:52::4`,
    "cloudflare-dns.com dns.cloudflare.com one.one.one.one cloudflare-gateway.com",
  ),
  by(
    "Quad9",
    "https://quad9.net/service/service-addresses-and-features/",
    `9.9.9.9 9.9.9.10 9.9.9.11 149.112.112.9 149.112.112.10 149.112.112.11 149.112.112.112 2620:fe::9
      2620:fe::10 2620:fe::11 2620:fe::fe 2620:fe::fe:9 2620:fe::fe:10 2620:fe::fe:11`,
    "dns.quad9.net dns9.quad9.net dns10.quad9.net dns11.quad9.net dns12.quad9.net dns13.quad9.net",
  ),
  by(
    "Cisco OpenDNS and Umbrella",
    "https://support.opendns.com/hc/en-us/articles/360038086532",
    `208.67.222.222 208.67.220.220 208.67.222.123 208.67.220.123 208.67.222.2 208.67.220.2 146.112.41.2
      146.112.41.3 146.112.41.5 2620:119:35::35 2620:119:53::53 2620:119:35::123 2620:119:53::123
      2620:0:ccc::2 2620:0:ccd::2 2620:119:fc::2 2620:119:fc::3 2620:119:fc::5`,
    `doh.opendns.com dns.opendns.com doh.familyshield.opendns.com familyshield.opendns.com
      doh.sandbox.opendns.com sandbox.opendns.com dns.umbrella.com doh.umbrella.com`,
  ),
  by(
    "AdGuard DNS",
    "https://adguard-dns.io/kb/general/dns-providers/",
    `94.140.14.14 94.140.15.15 94.140.14.15 94.140.15.16 94.140.14.140 94.140.14.141 2a10:50c0::ad1:ff
      2a10:50c0::ad2:ff 2a10:50c0::bad1:ff 2a10:50c0::bad2:ff 2a10:50c0::1:ff 2a10:50c0::2:ff`,
    `dns.adguard-dns.com family.adguard-dns.com unfiltered.adguard-dns.com d.adguard-dns.com dns.adguard.com
      dns-family.adguard.com dns-unfiltered.adguard.com`,
  ),
  by(
    "NextDNS",
    "https://help.nextdns.io/t/x2hmvas/what-is-dns-over-tls-dot-dns-over-quic-doq-and-dns-over-https-doh-doh3",
    "45.90.28.0/24 45.90.30.0/24 2a07:a8c0::/48 2a07:a8c1::/48",
    "dns.nextdns.io dns1.nextdns.io dns2.nextdns.io doh.nextdns.io steering.nextdns.io",
  ),
  by(
    "Mullvad",
    "https://mullvad.net/en/help/dns-over-https-and-dns-over-tls",
    `194.242.2.2 194.242.2.3 194.242.2.4 194.242.2.5 194.242.2.6 194.242.2.9 2a07:e340::2 2a07:e340::3
      2a07:e340::4 2a07:e340::5 2a07:e340::6 2a07:e340::9`,
    "dns.mullvad.net doh.mullvad.net dot.mullvad.net",
  ),
  by(
    "Control D",
    "https://controld.com/free-dns",
    "76.76.2.0/24 76.76.10.0/24 2606:1a40::/48 2606:1a40:1::/48",
    "freedns.controld.com dns.controld.com",
  ),
  by(
    "CleanBrowsing",
    "https://cleanbrowsing.org/filters/",
    `185.228.168.9 185.228.169.9 185.228.168.10 185.228.169.11 185.228.168.168 185.228.169.168 2a0d:2a00:1::
      2a0d:2a00:1::1 2a0d:2a00:1::2 2a0d:2a00:2:: 2a0d:2a00:2::1 2a0d:2a00:2::2`,
    `doh.cleanbrowsing.org family-filter-dns.cleanbrowsing.org adult-filter-dns.cleanbrowsing.org
      security-filter-dns.cleanbrowsing.org`,
  ),
  by("DNS.SB", "https://dns.sb/", "185.222.222.222 45.11.45.11 2a09:: 2a11::", "doh.dns.sb dot.sb doh.sb"),
  by(
    "DNS4EU",
    "https://www.joindns4.eu/for-public",
    `86.54.11.1 86.54.11.11 86.54.11.12 86.54.11.13 86.54.11.100 86.54.11.200 86.54.11.201 86.54.11.211
      86.54.11.212 86.54.11.213 2a13:1001::86:54:11:1 2a13:1001::86:54:11:11 2a13:1001::86:54:11:12
      2a13:1001::86:54:11:13 2a13:1001::86:54:11:100 2a13:1001::86:54:11:200 2a13:1001::86:54:11:201
      2a13:1001::86:54:11:211 2a13:1001::86:54:11:212 2a13:1001::86:54:11:213`,
    `protective.joindns4.eu child.joindns4.eu noads.joindns4.eu child-noads.joindns4.eu
      unfiltered.joindns4.eu`,
  ),
  by(
    "CIRA Canadian Shield",
    "https://www.cira.ca/en/canadian-shield/configure/",
    `149.112.121.10 149.112.122.10 149.112.121.20 149.112.122.20 149.112.121.30 149.112.122.30
      2620:10a:80bb::10 2620:10a:80bc::10 2620:10a:80bb::20 2620:10a:80bc::20 2620:10a:80bb::30
      2620:10a:80bc::30`,
    "canadianshield.cira.ca",
  ),
  by("Alibaba", "https://www.alidns.com/", "223.5.5.5 223.6.6.6 2400:3200::1 2400:3200:baba::1", "dns.alidns.com"),
  by(
    "DNSPod (Tencent)",
    "https://www.dnspod.cn/products/publicdns",
    "119.29.29.29 1.12.12.12 120.53.53.53 2402:4e00::",
    "dns.pub doh.pub dot.pub",
  ),
  by(
    "360 Secure DNS",
    "https://sdns.360.net/",
    "101.226.4.6 218.30.118.6 123.125.81.6 140.207.198.6",
    "doh.360.cn dot.360.cn",
  ),
  by("OneDNS", "https://www.onedns.net/", "", "doh.onedns.net dot.onedns.net doh-pure.onedns.net dot-pure.onedns.net"),
  by(
    "Yandex",
    "https://dns.yandex.com/",
    `77.88.8.8 77.88.8.1 77.88.8.88 77.88.8.2 77.88.8.3 77.88.8.7 2a02:6b8::feed:ff 2a02:6b8:0:1::feed:ff
      2a02:6b8::feed:bad 2a02:6b8:0:1::feed:bad 2a02:6b8::feed:a11 2a02:6b8:0:1::feed:a11`,
    "dot.dns.yandex.net",
  ),
  by("Hurricane Electric", "https://dns.he.net/", "74.82.42.42 2001:470:20::2", "ordns.he.net"),
  by(
    "Digitale Gesellschaft",
    "https://www.digitale-gesellschaft.ch/dns/",
    "185.95.218.42 185.95.218.43 2a05:fc84::42 2a05:fc84::43",
    "dns.digitale-gesellschaft.ch",
  ),
  by(
    "SWITCH",
    "https://www.switch.ch/security/info/public-dns/",
    "130.59.31.248 130.59.31.251 2001:620:0:ff::2 2001:620:0:ff::3",
    "dns.switch.ch",
  ),
  by(
    "Restena",
    "https://www.restena.lu/en/service/public-dns-resolver",
    "158.64.1.29 2001:a18:1::29",
    "kaitain.restena.lu dnspub.restena.lu",
  ),
  by(
    "CZ.NIC ODVR",
    "https://www.nic.cz/odvr/",
    "193.17.47.1 185.43.135.1 2001:148f:ffff::1 2001:148f:fffe::1",
    "odvr.nic.cz",
  ),
  by(
    "Applied Privacy",
    "https://applied-privacy.net/services/dns/",
    "146.255.56.98 2a02:1b8:10:234::2",
    "doh.applied-privacy.net dot1.applied-privacy.net",
  ),
  by(
    "UncensoredDNS",
    "https://blog.uncensoreddns.org/dns-servers/",
    "91.239.100.100 89.233.43.71 2001:67c:28a4:: 2a01:3a0:53:53::",
    "anycast.uncensoreddns.org unicast.uncensoreddns.org anycast.censurfridns.dk unicast.censurfridns.dk",
  ),
  by(
    "dnsforge.de",
    "https://dnsforge.de/",
    "176.9.93.198 176.9.1.117 2a01:4f8:151:34aa::198 2a01:4f8:141:316d::117",
    "dnsforge.de",
  ),
  by(
    "Digitalcourage",
    "https://digitalcourage.de/support/zensurfreier-dns-server",
    "5.9.164.112 2a01:4f8:251:554::2",
    "dns3.digitalcourage.de",
  ),
  by(
    "Freifunk München",
    "https://ffmuc.net/wiki/doku.php?id=knb:dohdot",
    "5.1.66.255 185.150.99.255 2001:678:e68:f000:: 2001:678:ed0:f000::",
    "doh.ffmuc.net dot.ffmuc.net",
  ),
  by(
    "French Data Network",
    "https://www.fdn.fr/actions/dns/",
    "80.67.169.12 80.67.169.40 2001:910:800::12 2001:910:800::40",
    "ns0.fdn.fr ns1.fdn.fr",
  ),
  by(
    "Wikimedia DNS",
    "https://meta.wikimedia.org/wiki/Wikimedia_DNS",
    "185.71.138.138 2001:67c:930::1",
    "wikimedia-dns.org",
  ),
  by("LibreDNS", "https://libredns.gr/", "116.202.176.26 2a01:4f8:1c0c:8274::1", "doh.libredns.gr dot.libredns.gr"),
  by("Njalla", "https://dns.njal.la/", "95.215.19.53 2001:67c:2354:2::53", "dns.njal.la"),
  by(
    "Quad101 (TWNIC)",
    "https://101.101.101.101/index_en.html",
    "101.101.101.101 101.102.103.104 2001:de4::101 2001:de4::102",
    "dns.twnic.tw",
  ),
  by(
    "Internet Initiative Japan",
    "https://public.dns.iij.jp/",
    "103.2.57.5 103.2.57.6 2001:300::5 2001:300::6",
    "public.dns.iij.jp",
  ),
  by("CFIEC", "https://www.cfiec.net/dns/s/?978.html", "240c::6666 240c::6644", "dns.cfiec.net"),
  by("Surfshark", "https://dns.surfsharkdns.com/", "194.169.169.169 2a09:a707:169::", "dns.surfsharkdns.com"),
  by(
    "DNS for Family",
    "https://dnsforfamily.com/",
    "94.130.180.225 78.47.64.161 2a01:4f8:1c0c:40db::1 2a01:4f8:1c17:4df8::1",
    "dns-doh.dnsforfamily.com dns-dot.dnsforfamily.com",
  ),
  by("DeCloudUs", "https://decloudus.com/", "78.47.212.211", "dns.decloudus.com"),
  by("OpenBLD.net", "https://openbld.net/", "", "ada.openbld.net ric.openbld.net"),
  by(
    "RethinkDNS",
    "https://www.rethinkdns.com/configure",
    "",
    "basic.rethinkdns.com sky.rethinkdns.com max.rethinkdns.com",
  ),
  by("Rabbit DNS", "https://rabbitdns.org/", "", "dns.rabbitdns.org security.rabbitdns.org family.rabbitdns.org"),
  by("CERT-EE", "https://dns.cert.ee/", "", "dns.cert.ee"),
  by("Comss.one", "https://www.comss.ru/page.php?id=7315", "", "dns.comss.one router.comss.one"),
  by(
    "Quadrant",
    "https://www.quadrantsec.com/post/public-dns-resolver-with-tls-https-support",
    "",
    "doh.qis.io dns-tls.qis.io",
  ),
  by("Comcast", "https://corporate.comcast.com/privacy", "", "doh.xfinity.com dot.xfinity.com"),
  // iCloud Private Relay also forwards DNS queries; Apple documents that a network may refuse these names.
  by(
    "Apple",
    "https://developer.apple.com/icloud/prepare-your-network-for-icloud-private-relay/",
    "",
    "mask.icloud.com mask-h2.icloud.com mask-api.icloud.com doh.dns.apple.com",
  ),
];

/** Names by which programs find out whether they may use their own resolver, or discover one. */
export const resolverSignals: readonly string[] = [
  "use-application-dns.net", // Firefox: NXDOMAIN disables its own DoH.
  "_dns.resolver.arpa", // RFC 9462: discovery of designated resolvers.
];
