package.path = "/lua/?.lua"
require("control")

-- Who is listened to. The kernel decides who comes here; all of them may.
local hasIpv6 = require("sockets").hasIpv6()
setLocal("0.0.0.0:18024", { reusePort = true })
if hasIpv6 then addLocal("[::]:18024", { reusePort = true }) end
addLocal("127.0.0.1:18026", { reusePort = true })
-- A filter elsewhere asks again here. As long as there is none, nobody is answered: doors cannot be opened later.
addLocal("0.0.0.0:18025", { reusePort = true })
if hasIpv6 then addLocal("[::]:18025", { reusePort = true }) end
setACL({ "0.0.0.0/0", "::/0" })
setKey("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
controlSocket("127.0.0.1:18027")
setConsoleConnectionsLogging(false)
addCapabilitiesToRetain("CAP_NET_ADMIN")

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
portcullis.trust(newServer({ name = "auth", address = "127.0.0.1:17990", pool = "auth", checkInterval = 2, maxCheckFailures = 2 }))
local unbound = portcullis.trust(newServer({ name = "unbound", address = "127.0.0.1:18028", pool = { "front", "resolver" }, checkName = "localhost.", checkInterval = 1, maxCheckFailures = 3, sockets = 4 }))
getPool("front"):setCache(newPacketCache(100000, { maxTTL = 3600, maxNegativeTTL = 300, temporaryFailureTTL = 1, numberOfShards = 16 }))
getPool("up")
portcullis.begin({ front = 18024, returning = 18025, back = 18026, isResolving = true }, unbound)

-- What Unbound asks, and what a filter elsewhere does.
addAction(DSTPortRule(18026), PoolAction("up"), { name = "up" })
addAction(DSTPortRule(18025), DropAction(), { name = "returning" })

-- What clients ask. Rules that may change come before these, each with its port; see control.lua.
addAction(QTypeRule(DNSQType.ANY), RCodeAction(DNSRCode.REFUSED), { name = "any" })
addAction(AllRule(), LuaFFIPerThreadAction("package.path=\034/lua/?.lua\034; return require(\034query\034)({ folder = \034/book\034, isResolving = true, isMapping = true, alias = 18028 })"), { name = "query" })
local soa = { ra = true }
if SetReducedTTLResponseAction then soa.soaInAuthoritySection = true end
addAction(TagRule("a", "nx"), NegativeAndSOAAction(true, "blocked.invalid.", 30, "blocked.invalid.", "nobody.invalid.", 1, 60, 60, 60, 30, soa), { name = "nx" })
addAction(TagRule("a", "nodata"), NegativeAndSOAAction(false, "blocked.invalid.", 30, "blocked.invalid.", "nobody.invalid.", 1, 60, 60, 60, 30, soa), { name = "nodata" })
addAction(AllRule(), RCodeAction(DNSRCode.SERVFAIL), { name = "unasked" })

-- What they are told. Scripts are dear, so they see what they can have an opinion of: names of policies, and aliases. The second rule of each throws away what the first should have seen to, and did not.
local isFront = DSTPortRule(18024)
local isLookedAt = AndRule({ isFront, OrRule({ TagRule("p"), RecordsTypeCountRule(DNSSection.Answer, DNSQType.CNAME, 1, 65535) }) })
local isUnguarded = AndRule({ isFront, TagRule("p"), NotRule(TagRule("w")) })
for _, add in ipairs({ addResponseAction, addCacheHitResponseAction, addSelfAnsweredResponseAction }) do
  add(isLookedAt, LuaFFIPerThreadResponseAction("package.path=\034/lua/?.lua\034; return require(\034answer\034)({ folder = \034/book\034, isResolving = true, isMapping = true, alias = 18028 })"))
  add(isUnguarded, DropResponseAction())
end

-- What upstreams say, unless the name may lead into the house.
local isDoubted = AndRule({ DSTPortRule(18026), NotRule(TagRule("open")) })
addResponseAction(isDoubted, LuaFFIPerThreadResponseAction("package.path=\034/lua/?.lua\034; return require(\034upstream\034).guard"))
addResponseAction(AndRule({ isDoubted, NotRule(TagRule("g")) }), DropResponseAction())

-- What is written down, unless the client is one of whom nothing is.
local logger = newRemoteLogger("127.0.0.1:17991", 2, 10000, 1)
local function tagsOf(response, message)
  local tags = {}
  for _, label in ipairs({ "v", "r", "l" }) do
    local value = response:getTag(label)
    if value ~= "" then tags[#tags + 1] = label .. ":" .. value end
  end
  message:setTagArray(tags)
end
local function log(add, isMeant, place)
  local identity = "3:" .. place
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
log(addResponseAction, DSTPortRule(18026), "up")
