import { because, type Reason } from "@portcullis/contract/reason";
import { localZonesOf } from "./unbound.diff.ts";
import type { Validator } from "./unbound.model.ts";

/**
 * Paths inside the sandbox. They are those of the distribution: its AppArmor profile for the program refuses others, there too.
 */
export const ownFolder = "/var/lib/unbound";
export const configurationFile = "/etc/unbound/unbound.conf";
export const controlSocket = "control";

/** Settings that need a restart. */
export const renderUnbound = ({ port, frontendPort, isValidating, anchors }: Validator): string => `server:
	interface: 127.0.0.1@${port}
	access-control: 127.0.0.0/8 allow
	do-ip6: no
	do-daemonize: no
	username: ""
	chroot: ""
	directory: "${ownFolder}"
	pidfile: ""
	use-syslog: no
	logfile: ""
	verbosity: 0
	extended-statistics: yes
	num-threads: 1
	num-queries-per-thread: 4096
	outgoing-range: 8192
	so-rcvbuf: 4m
	so-sndbuf: 4m
	edns-buffer-size: 1232
	msg-cache-size: 16m
	rrset-cache-size: 32m
	key-cache-size: 4m
	do-not-query-localhost: no
	discard-timeout: 0
	wait-limit: 0
	infra-host-ttl: 60
	infra-keep-probing: yes
	qname-minimisation: no
	minimal-responses: yes
	hide-identity: yes
	hide-version: yes
	hide-trustanchor: yes
	harden-glue: yes
	harden-large-queries: yes
	harden-short-bufsize: yes
	harden-dnssec-stripped: yes
	harden-below-nxdomain: yes
	module-config: "${isValidating ? "validator " : ""}iterator"
${lines(isValidating ? anchors : [], (anchor) => `trust-anchor: "${anchor}"`)}	prefetch: yes
	prefetch-key: yes
	serve-expired: yes
	serve-expired-ttl: 86400
	serve-expired-reply-ttl: 30
	serve-expired-client-timeout: 1800
	ede: yes
	ede-serve-expired: yes
remote-control:
	control-enable: yes
	control-interface: ${ownFolder}/${controlSocket}
forward-zone:
	name: "."
	forward-addr: 127.0.0.1@${frontendPort}
`;

/** The same, with the initial runtime settings: so it never answers without them. */
export const renderStart = (validator: Validator): string => `${renderUnbound(validator)}server:
${lines(validator.insecure.toSorted(), (domain) => `domain-insecure: "${domain}."`)}${lines(
  [...localZonesOf(validator)],
  ([name, type]) => `local-zone: "${name}" ${type}`,
)}	val-override-date: "${validator.ignoresDates ? "-1" : "0"}"
`;

const lines = <T>(items: readonly T[], line: (item: T) => string): string =>
  items.map((item) => `\t${line(item)}\n`).join("");

/** Why Unbound cannot do it, or nothing. */
export function impediment({ anchors, insecure, isValidating }: Validator): Reason | undefined {
  const strange = insecure.find((domain) => !domainForm.test(domain));
  if (strange !== undefined) return because("dns_domain_invalid", { domain: JSON.stringify(strange) });
  if (isValidating && anchors.length === 0) return because("dns_no_trust_anchor");
  const odd = anchors.find((anchor) => !anchorForm.test(anchor));
  return odd === undefined ? undefined : because("dns_trust_anchor_invalid", { anchor: JSON.stringify(odd) });
}

/** Neither a blank nor a quote, so that it is one word wherever it is said. */
const domainForm = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const anchorForm = /^[a-z0-9_.-]+\.?\s+(?:\d+\s+)?(?:IN\s+)?(?:DS|DNSKEY)\s[\w+/=\s]+$/i;
