import type { Authority } from "./nsd.model.ts";

/** Paths inside the sandbox: NSD's writable folder, and the zones, which it only reads. */
export const ownFolder = "/own";
export const zonesFolder = "/zones";
export const controlSocket = "control";
export const pattern = "local";

/** Zones are added at run time, so they are not in here. All queries come from loopback: a rate limit would apply to all clients. */
export const renderNsd = ({ port }: Pick<Authority, "port">): string => `server:
	ip-address: 127.0.0.1@${port}
	do-ip6: no
	server-count: 1
	username: ""
	chroot: ""
	pidfile: ""
	logfile: ""
	database: ""
	zonesdir: "${zonesFolder}"
	xfrdfile: ""
	zonelistfile: "${ownFolder}/zone.list"
	zonefiles-write: 0
	hide-version: yes
	hide-identity: yes
	minimal-responses: yes
	refuse-any: yes
	rrl-ratelimit: 0
	rrl-whitelist-ratelimit: 0
	tcp-count: 100
remote-control:
	control-enable: yes
	control-interface: ${ownFolder}/${controlSocket}
pattern:
	name: "${pattern}"
	zonefile: "${zonesFolder}/%s.zone"
`;
