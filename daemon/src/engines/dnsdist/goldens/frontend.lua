package.path = "/lua/?.lua"
require("control")

-- Listeners. The kernel decides which clients get here; all of them are allowed.
local hasIpv6 = require("sockets").hasIpv6()
setLocal("0.0.0.0:18024", { reusePort = true })
if hasIpv6 then addLocal("[::]:18024", { reusePort = true }) end
addLocal("127.0.0.1:18026", { reusePort = true })
-- For the external filter. Without one, nothing is answered here: listeners cannot be added later.
addLocal("0.0.0.0:18025", { reusePort = true })
if hasIpv6 then addLocal("[::]:18025", { reusePort = true }) end
setACL({ "0.0.0.0/0", "::/0" })
setKey("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
controlSocket("127.0.0.1:18027")
setConsoleConnectionsLogging(false)
addCapabilitiesToRetain("CAP_NET_ADMIN")

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
portcullis.trust(newServer({ name = "auth", address = "127.0.0.1:17990", pool = "auth", checkInterval = 2, maxCheckFailures = 2 }))
local unbound = portcullis.trust(newServer({ name = "unbound", address = "127.0.0.1:18028", pool = { "front", "resolver" }, checkName = "localhost.", checkInterval = 1, maxCheckFailures = 3, sockets = 4 }))
getPool("front"):setCache(newPacketCache(100000, { maxTTL = 3600, maxNegativeTTL = 300, temporaryFailureTTL = 1, numberOfShards = 16 }))
getPool("up")
portcullis.begin({ frontend = 18024, filtered = 18025, backend = 18026, isResolving = true }, unbound)

-- Queries of Unbound and of the external filter.
addAction(DSTPortRule(18026), PoolAction("up"), { name = "up" })
addAction(DSTPortRule(18025), DropAction(), { name = "returning" })

-- Queries of clients. Rules that may change come before these, each with its port; see control.lua.
addAction(QTypeRule(DNSQType.ANY), RCodeAction(DNSRCode.REFUSED), { name = "any" })
addAction(AllRule(), LuaFFIPerThreadAction("package.path=\034/lua/?.lua\034; return require(\034query\034)({ folder = \034/policy\034, isResolving = true, isMapping = true, alias = 18028 })"), { name = "query" })
local soa = { ra = true }
if SetReducedTTLResponseAction then soa.soaInAuthoritySection = true end
addAction(TagRule("a", "nx"), NegativeAndSOAAction(true, "blocked.invalid.", 30, "blocked.invalid.", "hostmaster.invalid.", 1, 60, 60, 60, 30, soa), { name = "nx" })
addAction(TagRule("a", "nodata"), NegativeAndSOAAction(false, "blocked.invalid.", 30, "blocked.invalid.", "hostmaster.invalid.", 1, 60, 60, 60, 30, soa), { name = "nodata" })
addAction(AllRule(), RCodeAction(DNSRCode.SERVFAIL), { name = "unresolved" })

-- Answers to clients. Scripts are expensive, so they see only names of policies, and aliases. The second rule of each drops answers that the first should have handled, and did not.
local isFront = DSTPortRule(18024)
local isChecked = AndRule({ isFront, OrRule({ TagRule("p"), RecordsTypeCountRule(DNSSection.Answer, DNSQType.CNAME, 1, 65535) }) })
local isUnguarded = AndRule({ isFront, TagRule("p"), NotRule(TagRule("w")) })
for _, add in ipairs({ addResponseAction, addCacheHitResponseAction, addSelfAnsweredResponseAction }) do
  add(isChecked, LuaFFIPerThreadResponseAction("package.path=\034/lua/?.lua\034; return require(\034answer\034)({ folder = \034/policy\034, isResolving = true, isMapping = true, alias = 18028 })"))
  add(isUnguarded, DropResponseAction())
end

-- Answers of upstreams, except for names that may have internal addresses.
local isGuarded = AndRule({ DSTPortRule(18026), NotRule(TagRule("open")) })
addResponseAction(isGuarded, LuaFFIPerThreadResponseAction("package.path=\034/lua/?.lua\034; return require(\034upstream\034).guard"))
addResponseAction(AndRule({ isGuarded, NotRule(TagRule("g")) }), DropResponseAction())

-- The query log, except for clients that are not logged.
local logger = newRemoteLogger("127.0.0.1:17991", 2, 10000, 1)
local function tagsOf(response, message)
  local tags = {}
  for _, label in ipairs({ "v", "r", "l" }) do
    local value = response:getTag(label)
    if value ~= "" then tags[#tags + 1] = label .. ":" .. value end
  end
  message:setTagArray(tags)
end
local function log(add, matches, place)
  local identity = "3:" .. place
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
log(addResponseAction, DSTPortRule(18026), "up")
