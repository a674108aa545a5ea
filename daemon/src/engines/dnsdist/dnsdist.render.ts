import { dnsProxyAddresses, dnsProxyOf } from "../dns-proxy/dns-proxy.model.ts";
import { type Frontend, nsdPort, type Pool, type Upstream } from "./dnsdist.model.ts";

/** Paths inside dnsdist's sandbox. */
export const sandboxPaths = {
  scripts: "/lua",
  policy: "/policy",
  issuers: "/etc/issuers.pem",
  configuration: "/etc/dnsdist.conf",
};

/**
 * The static part of its configuration. Rules with scripts are created here only: each has
 * a state per thread that is never freed. `key` is that of its console, in base64.
 */
export function renderFrontend({ number, ports, isResolving, isMapping, logPort }: Frontend, key: string): string {
  const settings = luaOf({
    folder: sandboxPaths.policy,
    isResolving,
    isMapping,
    alias: isResolving ? ports.unbound : null,
  });
  const script = (of: string) => luaOf(`package.path="${sandboxPaths.scripts}/?.lua"; ${of}`);
  const answer = `LuaFFIPerThreadResponseAction(${script(`return require("answer")(${settings})`)})`;
  return `package.path = "${sandboxPaths.scripts}/?.lua"
require("control")

-- Listeners. The kernel decides which clients get here; all of them are allowed.
local hasIpv6 = require("sockets").hasIpv6()
setLocal("0.0.0.0:${ports.frontend}", { reusePort = true })
if hasIpv6 then addLocal("[::]:${ports.frontend}", { reusePort = true }) end
${
  isResolving
    ? `addLocal("127.0.0.1:${ports.backend}", { reusePort = true })
-- For the external filter. Without one, nothing is answered here: listeners cannot be added later.
addLocal("0.0.0.0:${ports.filtered}", { reusePort = true })
if hasIpv6 then addLocal("[::]:${ports.filtered}", { reusePort = true }) end
`
    : ""
}setACL({ "0.0.0.0/0", "::/0" })
setKey(${luaOf(key)})
controlSocket("127.0.0.1:${ports.console}")
setConsoleConnectionsLogging(false)
${isMapping ? 'addCapabilitiesToRetain("CAP_NET_ADMIN")\n' : ""}
-- No connections of its own, short timeouts, and an immediate failure if no server is available.
setSecurityPollSuffix("")
setServFailWhenNoServer(true)
setRoundRobinFailOnNoServer(true)
-- Four times Unbound's maximum of concurrent queries. Each entry takes a quarter of a kilobyte per server.
setMaxUDPOutstanding(16384)
setUDPSocketBufferSizes(4194304, 4194304)
setUDPTimeout(4)
setTCPRecvTimeout(5)
setTCPSendTimeout(5)
setMaxTCPConnectionsPerClient(50)

-- Servers. The default pool is empty: a query without a matching rule fails.
portcullis.trust(newServer({ name = "auth", address = "127.0.0.1:${nsdPort}", pool = "auth", checkInterval = 2, maxCheckFailures = 2 }))
${
  isResolving
    ? `local unbound = portcullis.trust(newServer({ name = "unbound", address = "127.0.0.1:${ports.unbound}", pool = { "front", "resolver" }, checkName = "localhost.", checkInterval = 1, maxCheckFailures = 3, sockets = 4 }))
getPool("front"):setCache(newPacketCache(100000, { maxTTL = 3600, maxNegativeTTL = 300, temporaryFailureTTL = 1, numberOfShards = 16 }))
getPool("up")
`
    : "local unbound\n"
}portcullis.begin(${luaOf({ frontend: ports.frontend, filtered: ports.filtered, backend: ports.backend, isResolving })}, unbound)

${isResolving ? backRules(ports.backend, ports.filtered) : ""}-- Queries of clients. Rules that may change come before these, each with its port; see control.lua.
addAction(QTypeRule(DNSQType.ANY), RCodeAction(DNSRCode.REFUSED), { name = "any" })
addAction(AllRule(), LuaFFIPerThreadAction(${script(`return require("query")(${settings})`)}), { name = "query" })
local soa = { ra = true }
if SetReducedTTLResponseAction then soa.soaInAuthoritySection = true end
addAction(TagRule("a", "nx"), NegativeAndSOAAction(true, "blocked.invalid.", 30, "blocked.invalid.", "hostmaster.invalid.", 1, 60, 60, 60, 30, soa), { name = "nx" })
addAction(TagRule("a", "nodata"), NegativeAndSOAAction(false, "blocked.invalid.", 30, "blocked.invalid.", "hostmaster.invalid.", 1, 60, 60, 60, 30, soa), { name = "nodata" })
${isResolving ? 'addAction(AllRule(), RCodeAction(DNSRCode.SERVFAIL), { name = "unresolved" })\n' : ""}
-- Answers to clients. Scripts are expensive, so they see only names of policies, and aliases. The second rule of each drops answers that the first should have handled, and did not.
local isFront = DSTPortRule(${ports.frontend})
local isChecked = AndRule({ isFront, OrRule({ TagRule("p"), RecordsTypeCountRule(DNSSection.Answer, DNSQType.CNAME, 1, 65535) }) })
local isUnguarded = AndRule({ isFront, TagRule("p"), NotRule(TagRule("w")) })
for _, add in ipairs({ addResponseAction, addCacheHitResponseAction, addSelfAnsweredResponseAction }) do
  add(isChecked, ${answer})
  add(isUnguarded, DropResponseAction())
end
${isResolving ? guardRules(script, ports.backend) : ""}
-- The query log, except for clients that are not logged.
local logger = newRemoteLogger("127.0.0.1:${logPort}", 2, 10000, 1)
local function tagsOf(response, message)
  local tags = {}
  for _, label in ipairs({ "v", "r", "l" }) do
    local value = response:getTag(label)
    if value ~= "" then tags[#tags + 1] = label .. ":" .. value end
  end
  message:setTagArray(tags)
end
local function log(add, matches, place)
  local identity = "${number}:" .. place
  if SetReducedTTLResponseAction then
    add(matches, RemoteLogResponseAction(logger, nil, false, { serverID = identity, exportTags = "v,r,l" }))
  else
    -- A Lua function per record is expensive, so only records with tags use it.
    add(AndRule({ matches, TagRule("v") }), RemoteLogResponseAction(logger, tagsOf, false, { serverID = identity }))
    add(AndRule({ matches, NotRule(TagRule("v")) }), RemoteLogResponseAction(logger, nil, false, { serverID = identity }))
  end
end
local isLogged = AndRule({ isFront, NotRule(TagRule("quiet")) })
log(addResponseAction, isLogged, "front")
log(addCacheHitResponseAction, isLogged, "cache")
log(addSelfAnsweredResponseAction, isLogged, "self")
${isResolving ? `log(addResponseAction, DSTPortRule(${ports.backend}), "up")\n` : ""}`;
}

const backRules = (back: number, returning: number): string => `-- Queries of Unbound and of the external filter.
addAction(DSTPortRule(${back}), PoolAction("up"), { name = "up" })
addAction(DSTPortRule(${returning}), DropAction(), { name = "returning" })

`;

const guardRules = (script: (of: string) => string, back: number): string => `
-- Answers of upstreams, except for names that may have internal addresses.
local isGuarded = AndRule({ DSTPortRule(${back}), NotRule(TagRule("open")) })
addResponseAction(isGuarded, LuaFFIPerThreadResponseAction(${script('return require("upstream").guard')}))
addResponseAction(AndRule({ isGuarded, NotRule(TagRule("g")) }), DropResponseAction())
`;

/** The runtime settings, as a whole. Equal frontends give equal texts. */
export function renderSettings(front: Frontend): string {
  const addresses = proxiedAddresses(front);
  const pool = ({ rotation, servers }: Pool, checkName: string | null) => ({
    rotation,
    servers: servers.map((it) => server(it, checkName, it.usesDnsProxy ? addresses.get(it.name) : undefined, front)),
  });
  return luaOf({
    upstreams: pool(front.upstreams, null),
    conditional: front.conditional.map(({ domain, pool: it }) => ({
      domain: dotted(domain),
      pool: pool(it, dotted(domain)),
    })),
    zones: front.zones.map(dotted),
    external: front.external && {
      address: front.external.address,
      server: endpoint(front.external.address, front.external.port),
    },
    rebindable: front.rebindable.map(dotted),
    isRebindingProtected: front.isRebindingProtected,
    ratePerSec: front.ratePerSec,
  });
}

/** The command that applies them. */
export const renderConfigure = (settings: string, digest: string): string =>
  `portcullis.configure(${luaOf(digest)}, ${settings})`;

/** The upstreams of our DNS proxy: each has its own loopback address. */
export const proxiedAddresses = (front: Frontend): ReadonlyMap<string, string> =>
  dnsProxyAddresses(dnsProxyOf(front).upstreams);

function server(upstream: Upstream, checkName: string | null, through: string | undefined, { ports }: Frontend): Lua {
  const { name, address, port, protocol, serverName, path, source } = upstream;
  if (through !== undefined) return { name, address: endpoint(through, ports.dnsProxy), checkName };
  const tls = { caFile: sandboxPaths.issuers, serverName, address, path: protocol === "doh" ? path : null };
  return { name, address: endpoint(address, port), source, checkName, tls: protocol === "plain" ? null : tls };
}

const endpoint = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

const dotted = (domain: string): string => (domain.endsWith(".") ? domain : `${domain}.`);

type Lua = string | number | boolean | null | readonly Lua[] | { readonly [key: string]: Lua };

/** A value as a Lua literal, with all special characters escaped. */
export function luaOf(value: Lua): string {
  if (value === null) return "nil";
  if (typeof value === "string") return `"${[...new TextEncoder().encode(value)].map(sign).join("")}"`;
  if (typeof value !== "object") return String(value);
  const isList = (it: typeof value): it is readonly Lua[] => Array.isArray(it);
  if (isList(value)) return `{ ${value.map(luaOf).join(", ")} }`;
  const fields = Object.entries(value).filter(([, it]) => it !== null);
  return `{ ${fields.map(([key, it]) => `${key} = ${luaOf(it)}`).join(", ")} }`;
}

const sign = (byte: number): string =>
  byte < 32 || byte > 126 || byte === 34 || byte === 92
    ? `\\${String(byte).padStart(3, "0")}`
    : String.fromCharCode(byte);
