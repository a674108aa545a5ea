import { dnsProxyAddresses, dnsProxyOf } from "../dns-proxy/dns-proxy.model.ts";
import { type Frontend, nsdPort, type Pool, type Upstream } from "./dnsdist.model.ts";

/** Where dnsdist finds things; it sees nothing else of the machine. */
export const sandboxPaths = {
  scripts: "/lua",
  book: "/book",
  issuers: "/etc/issuers.pem",
  configuration: "/etc/dnsdist.conf",
};

/**
 * The part of its configuration that stays as long as it runs. Rules with scripts are made here and nowhere else: each has
 * a state per thread that is never freed. `key` is that of its console, in base64.
 */
export function renderFrontend({ number, ports, isResolving, isMapping, logPort }: Frontend, key: string): string {
  const settings = luaOf({
    folder: sandboxPaths.book,
    isResolving,
    isMapping,
    alias: isResolving ? ports.unbound : null,
  });
  const script = (of: string) => luaOf(`package.path="${sandboxPaths.scripts}/?.lua"; ${of}`);
  const answer = `LuaFFIPerThreadResponseAction(${script(`return require("answer")(${settings})`)})`;
  return `package.path = "${sandboxPaths.scripts}/?.lua"
require("control")

-- Who is listened to. The kernel decides who comes here; all of them may.
local hasIpv6 = require("sockets").hasIpv6()
setLocal("0.0.0.0:${ports.frontend}", { reusePort = true })
if hasIpv6 then addLocal("[::]:${ports.frontend}", { reusePort = true }) end
${
  isResolving
    ? `addLocal("127.0.0.1:${ports.backend}", { reusePort = true })
-- A filter elsewhere asks again here. As long as there is none, nobody is answered: doors cannot be opened later.
addLocal("0.0.0.0:${ports.filtered}", { reusePort = true })
if hasIpv6 then addLocal("[::]:${ports.filtered}", { reusePort = true }) end
`
    : ""
}setACL({ "0.0.0.0/0", "::/0" })
setKey(${luaOf(key)})
controlSocket("127.0.0.1:${ports.console}")
setConsoleConnectionsLogging(false)
${isMapping ? 'addCapabilitiesToRetain("CAP_NET_ADMIN")\n' : ""}
-- It calls nobody of itself, waits for nobody who is gone, and says at once when there is nobody to ask.
setSecurityPollSuffix("")
setServFailWhenNoServer(true)
setRoundRobinFailOnNoServer(true)
-- Four times what Unbound has under way at most. Each place takes a quarter of a kilobyte, for every server.
setMaxUDPOutstanding(16384)
setUDPSocketBufferSizes(4194304, 4194304)
setUDPTimeout(4)
setTCPRecvTimeout(5)
setTCPSendTimeout(5)
setMaxTCPConnectionsPerClient(50)

-- Who is asked. Nobody is in the pool without a name: what no rule sends elsewhere fails.
portcullis.trust(newServer({ name = "auth", address = "127.0.0.1:${nsdPort}", pool = "auth", checkInterval = 2, maxCheckFailures = 2 }))
${
  isResolving
    ? `local unbound = portcullis.trust(newServer({ name = "unbound", address = "127.0.0.1:${ports.unbound}", pool = { "front", "resolver" }, checkName = "localhost.", checkInterval = 1, maxCheckFailures = 3, sockets = 4 }))
getPool("front"):setCache(newPacketCache(100000, { maxTTL = 3600, maxNegativeTTL = 300, temporaryFailureTTL = 1, numberOfShards = 16 }))
getPool("up")
`
    : "local unbound\n"
}portcullis.begin(${luaOf({ front: ports.frontend, returning: ports.filtered, back: ports.backend, isResolving })}, unbound)

${isResolving ? backRules(ports.backend, ports.filtered) : ""}-- What clients ask. Rules that may change come before these, each with its port; see control.lua.
addAction(QTypeRule(DNSQType.ANY), RCodeAction(DNSRCode.REFUSED), { name = "any" })
addAction(AllRule(), LuaFFIPerThreadAction(${script(`return require("query")(${settings})`)}), { name = "query" })
local soa = { ra = true }
if SetReducedTTLResponseAction then soa.soaInAuthoritySection = true end
addAction(TagRule("a", "nx"), NegativeAndSOAAction(true, "blocked.invalid.", 30, "blocked.invalid.", "nobody.invalid.", 1, 60, 60, 60, 30, soa), { name = "nx" })
addAction(TagRule("a", "nodata"), NegativeAndSOAAction(false, "blocked.invalid.", 30, "blocked.invalid.", "nobody.invalid.", 1, 60, 60, 60, 30, soa), { name = "nodata" })
${isResolving ? 'addAction(AllRule(), RCodeAction(DNSRCode.SERVFAIL), { name = "unasked" })\n' : ""}
-- What they are told. Scripts are dear, so they see what they can have an opinion of: names of policies, and aliases. The second rule of each throws away what the first should have seen to, and did not.
local isFront = DSTPortRule(${ports.frontend})
local isLookedAt = AndRule({ isFront, OrRule({ TagRule("p"), RecordsTypeCountRule(DNSSection.Answer, DNSQType.CNAME, 1, 65535) }) })
local isUnguarded = AndRule({ isFront, TagRule("p"), NotRule(TagRule("w")) })
for _, add in ipairs({ addResponseAction, addCacheHitResponseAction, addSelfAnsweredResponseAction }) do
  add(isLookedAt, ${answer})
  add(isUnguarded, DropResponseAction())
end
${isResolving ? guardRules(script, ports.backend) : ""}
-- What is written down, unless the client is one of whom nothing is.
local logger = newRemoteLogger("127.0.0.1:${logPort}", 2, 10000, 1)
local function tagsOf(response, message)
  local tags = {}
  for _, label in ipairs({ "v", "r", "l" }) do
    local value = response:getTag(label)
    if value ~= "" then tags[#tags + 1] = label .. ":" .. value end
  end
  message:setTagArray(tags)
end
local function log(add, isMeant, place)
  local identity = "${number}:" .. place
  if SetReducedTTLResponseAction then
    add(isMeant, RemoteLogResponseAction(logger, nil, false, { serverID = identity, exportTags = "v,r,l" }))
  else
    -- A function for each record is dear, so only those records with something to add go by it.
    add(AndRule({ isMeant, TagRule("v") }), RemoteLogResponseAction(logger, tagsOf, false, { serverID = identity }))
    add(AndRule({ isMeant, NotRule(TagRule("v")) }), RemoteLogResponseAction(logger, nil, false, { serverID = identity }))
  end
end
local isLogged = AndRule({ isFront, NotRule(TagRule("quiet")) })
log(addResponseAction, isLogged, "front")
log(addCacheHitResponseAction, isLogged, "cache")
log(addSelfAnsweredResponseAction, isLogged, "self")
${isResolving ? `log(addResponseAction, DSTPortRule(${ports.backend}), "up")\n` : ""}`;
}

const backRules = (back: number, returning: number): string => `-- What Unbound asks, and what a filter elsewhere does.
addAction(DSTPortRule(${back}), PoolAction("up"), { name = "up" })
addAction(DSTPortRule(${returning}), DropAction(), { name = "returning" })

`;

const guardRules = (script: (of: string) => string, back: number): string => `
-- What upstreams say, unless the name may lead into the house.
local isDoubted = AndRule({ DSTPortRule(${back}), NotRule(TagRule("open")) })
addResponseAction(isDoubted, LuaFFIPerThreadResponseAction(${script('return require("upstream").guard')}))
addResponseAction(AndRule({ isDoubted, NotRule(TagRule("g")) }), DropResponseAction())
`;

/** What may change while it runs, told as a whole. The same text for the same front. */
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

/** The words that tell it. */
export const renderConfigure = (told: string, digest: string): string => `portcullis.tell(${luaOf(digest)}, ${told})`;

/** Upstreams that our own forwarder asks: each has an address of its own on loopback, where the forwarder is asked for it. */
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

/** A value as Lua writes it. Whatever a text holds, it says nothing but itself. */
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
