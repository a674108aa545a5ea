-- Settings that can change at run time. The daemon sends all of them by `portcullis.configure`, at the start and through the console;
-- unchanged parts are left alone. Nothing here uses per-thread scripts, because those can never be removed.
portcullis = {}

local ffi = require("ffi")
local C = ffi.C

-- Features of dnsdist 1.8 and 1.9: check the address in a certificate, and let a policy report that no server is available.
local checksAddresses = SetReducedTTLResponseAction ~= nil
local canReportNone = addDOQLocal ~= nil

local at = {} -- The ports, and whether it resolves.
local unbound
local settingsDigest = ""
local applied = {}

-- The initial servers start at the same time as dnsdist: an early health check would mark them down for a second or
-- two. So they count as up, and are checked a little later.
local trusted, ticks = {}, 0
function portcullis.trust(server)
  if not trusted then
    server:setAuto(true)
    return server
  end
  server:setUp()
  trusted[#trusted + 1] = server
  return server
end

-- A retired server must not be treated as a new one: health checks would start again until it is removed.
local function distrust(server)
  for index = trusted and #trusted or 0, 1, -1 do
    if trusted[index] == server then table.remove(trusted, index) end
  end
end

-- Called once, by the configuration.
function portcullis.begin(settings, resolver)
  at, unbound = settings, resolver
end

-- The same text for equal values, to detect changes.
local function textOf(value)
  if type(value) ~= "table" then return type(value) .. " " .. tostring(value) end
  local parts = {}
  for key, inner in pairs(value) do parts[#parts + 1] = textOf(key) .. "=" .. textOf(inner) end
  table.sort(parts)
  return "{" .. table.concat(parts, ";") .. "}"
end

-- Replaces the rules of a group: new rules are added before the old ones are removed, so there is no gap.
local ruleNames, version = {}, 0
local function replaceRules(group, rules, isAtEnd)
  version = version + 1
  local names = {}
  for i = #rules, 1, -1 do
    local name = group .. ":" .. version .. ":" .. i
    addAction(rules[i][1], rules[i][2], { name = name })
    names[#names + 1] = name
    if not isAtEnd then mvRuleToTop() end
  end
  for _, name in ipairs(ruleNames[group] or {}) do rmRule(name) end
  ruleNames[group] = names
end

local function below(domains)
  local node = newSuffixMatchNode()
  for _, domain in ipairs(domains) do node:add(newDNSName(domain)) end
  return SuffixMatchNodeRule(node)
end

-- The fastest server that is up. Occasionally another one is used, to notice when it becomes faster.
local server = ffi.new("const dnsdist_ffi_server_t*[1]")
local exploredOnceIn = 64
local function fastest(servers)
  local count = tonumber(C.dnsdist_ffi_servers_list_get_count(servers))
  local up, best, least = {}, 0, math.huge
  for i = 0, count - 1 do
    C.dnsdist_ffi_servers_list_get_server(servers, i, server)
    if C.dnsdist_ffi_server_is_up(server[0]) then
      up[#up + 1] = i
      local latency = C.dnsdist_ffi_server_get_latency(server[0])
      if latency < least then best, least = i, latency end
    end
  end
  if #up == 0 then return canReportNone and count or 0 end
  if #up > 1 and math.random(exploredOnceIn) == 1 then return up[math.random(#up)] end
  return best
end

local pools = {} -- pool → { servers by name, rotation }
local function isAnyUp(pool)
  for _, it in pairs(pools[pool].servers) do
    if it.server:isUp() then return true end
  end
  return false
end

local function rotate(pool, rotation)
  if pools[pool].rotating == rotation then return end
  pools[pool].rotating = rotation
  if rotation == "round-robin" then setPoolServerPolicy(roundrobin, pool)
  elseif rotation == "random" then setPoolServerPolicy(wrandom, pool)
  elseif rotation == "failover" then setPoolServerPolicy(firstAvailable, pool)
  elseif rotation == "fastest" then setPoolServerPolicyLuaFFI("fastest", fastest, pool)
  else error("no such rotation: " .. tostring(rotation)) end
end

-- A retired server gets no new queries, but may still answer earlier ones.
local retired, maxRetiredSec = {}, 6
local function retire(server, pool)
  distrust(server)
  server:rmPool(pool)
  server:setDown()
  retired[#retired + 1] = { server = server, sinceSec = os.time() }
end

local function removeRetired()
  local staying = {}
  for _, it in ipairs(retired) do
    if it.server:getOutstanding() == 0 or os.time() - it.sinceSec > maxRetiredSec then rmServer(it.server)
    else staying[#staying + 1] = it end
  end
  retired = staying
end

-- Upstreams are checked once a second, with a query to each. While there has been no cache miss for a while, they
-- are checked rarely, at random times, and count as up in between. A server that is down is still checked. With
-- the first cache miss all are checked again; until then, and a second or two more, a dead server may be queried in vain.
local idleSec, interval, checkedSec = 20, { min = 60, max = 120 }, 3
local activity = { misses = -1, tick = 0 }
-- All instances may start in the same second, and must not stay synchronized.
math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 0x7fffffff)
local checkTick = 0 -- From this one on, for as long as checkedSec.

local function isIdle()
  local misses = at.isResolving and getPool("front"):getCache():getStats().misses or 0
  if misses ~= activity.misses then activity.misses, activity.tick = misses, ticks end
  return ticks - activity.tick >= idleSec
end

local function checkUpstreams()
  local isPaused = isIdle()
  if isPaused and ticks >= checkTick + checkedSec then checkTick = ticks + math.random(interval.min, interval.max) end
  if not isPaused then checkTick = ticks end
  local isChecked = not isPaused or ticks >= checkTick
  for _, it in pairs(pools) do
    for _, entry in pairs(it.servers) do
      if entry.isUnchecked and isChecked then
        entry.server:setAuto(true)
        entry.isUnchecked = false
      elseif not entry.isUnchecked and not isChecked and ticks - entry.tick > checkedSec and entry.server:isUp() then
        entry.server:setUp()
        entry.isUnchecked = true
      end
    end
  end
end

-- Once a second. If our policy cannot report that no server is up, it is replaced by one that can.
function maintenance()
  removeRetired()
  ticks = ticks + 1
  if trusted and ticks > 1 then
    for _, it in ipairs(trusted) do it:setAuto(true) end
    trusted = nil
  end
  if not trusted then checkUpstreams() end
  if canReportNone then return end
  for pool, it in pairs(pools) do
    if it.rotation == "fastest" then rotate(pool, isAnyUp(pool) and "fastest" or "failover") end
  end
end

-- dnsdist checks all servers, waits for the slowest, pauses a second, and checks again. So a silent server is detected
-- within the pause and one timeout, and its return just as soon. TCP retransmits a lost segment after a second.
local waitMs = { udp = 800, tls = 1900 }

local function start(pool, it, order)
  local settings = {
    name = it.name, address = it.address, source = it.source, pool = pool, order = order,
    checkInterval = 1, maxCheckFailures = 1, checkTimeout = it.tls and waitMs.tls or waitMs.udp,
    checkName = it.checkName, checkType = it.checkName and "SOA" or nil,
  }
  if it.tls then
    settings.tls, settings.validateCertificates, settings.caStore = "openssl", true, it.tls.caFile
    settings.maxInFlight, settings.dohPath = 1000, it.tls.path
    if it.tls.serverName then settings.subjectName = it.tls.serverName
    elseif checksAddresses then settings.subjectAddr = it.tls.address
    else settings.subjectName = it.tls.address end -- A failure is better than a certificate that is never checked.
  end
  -- One socket each, the default: with several, the receiving thread holds a lock for up to a second, and the removal of the
  -- server waits for it, with every script of this dnsdist.
  return portcullis.trust(newServer(settings)) -- Up until a check fails.
end

-- New servers are added before old ones are removed.
local function fillPool(pool, wanted)
  local before = pools[pool] or { servers = {} }
  local servers = {}
  for order, it in ipairs(wanted.servers) do
    local text = order .. textOf(it)
    local old = before.servers[it.name]
    servers[it.name] = old and old.text == text and old or { server = start(pool, it, order), text = text, tick = ticks }
  end
  for name, old in pairs(before.servers) do
    if servers[name] ~= old then retire(old.server, pool) end
  end
  pools[pool] = { servers = servers, rotation = wanted.rotation, rotating = before.rotating }
  rotate(pool, wanted.rotation)
end

local function labels(domain)
  local _, dots = domain:gsub("%.", "")
  return dots
end

-- For Unbound's queries: the narrowest domain decides the pool.
local function configureBackend(wanted)
  local domains, open = {}, {}
  for _, zone in ipairs(wanted.zones) do domains[#domains + 1] = { domain = zone, pool = "auth" } end
  for _, it in ipairs(wanted.conditional) do domains[#domains + 1] = { domain = it.domain, pool = "c:" .. it.domain } end
  table.sort(domains, function(a, b)
    if labels(a.domain) ~= labels(b.domain) then return labels(a.domain) > labels(b.domain) end
    return a.domain < b.domain
  end)
  for _, it in ipairs(domains) do open[#open + 1] = it.domain end
  for _, domain in ipairs(wanted.rebindable) do open[#open + 1] = domain end
  local isBack = DSTPortRule(at.backend)
  local rules = {}
  if not wanted.isRebindingProtected then rules[1] = { isBack, SetTagAction("open", "1") }
  elseif #open > 0 then rules[1] = { AndRule({ isBack, below(open) }), SetTagAction("open", "1") } end
  for _, it in ipairs(domains) do
    rules[#rules + 1] = { AndRule({ isBack, below({ it.domain }) }), PoolAction(it.pool) }
  end
  replaceRules("back", rules)
  getPool("front"):getCache():expunge(0) -- Other servers answer now.
end

-- Clients without an egress get answers from local zones.
local function configureZones(zones)
  local isOurs = #zones > 0 and AndRule({ TagRule("queried"), below(zones) })
  replaceRules("zones", isOurs and { { isOurs, PoolAction("auth") } } or {}, true)
end

-- Per address, in both families: with a limit per IPv6 network, one client would block all others of the site.
local function configureRate(rate)
  local isTooMuch = rate > 0 and AndRule({ DSTPortRule(at.frontend), MaxQPSIPRule(rate, 32, 128) })
  replaceRules("rate", isTooMuch and { { isTooMuch, DropAction() } } or {})
end

-- Queries go either to the external filter, which queries us again, or to our own resolver.
local external
local function configureExternal(wanted)
  local before = external
  if wanted then
    local network = newNMG()
    network:addMask(wanted.address)
    local isReturning = AndRule({ DSTPortRule(at.filtered), NetmaskGroupRule(network) })
    replaceRules("returning", { { isReturning, PoolAction("resolver") } })
    external = start("front", { name = "external", address = wanted.server }, 1)
    if not before then unbound:rmPool("front") end
  else
    external = nil
    if before then unbound:addPool("front") end
    replaceRules("returning", {})
  end
  if before then retire(before, "front") end
  if before or wanted then getPool("front"):getCache():expunge(0) end
end

local function configurePart(name, wanted, configure)
  local text = textOf(wanted)
  if applied[name] == text then return end
  applied[name] = nil -- After a failure it is configured again.
  configure(wanted)
  applied[name] = text
end

-- Applies all settings. Returns their digest.
function portcullis.configure(digest, wanted)
  settingsDigest = ""
  if at.isResolving then
    configurePart("up", wanted.upstreams, function(it) fillPool("up", it) end)
    local kept = { up = true }
    for _, it in ipairs(wanted.conditional) do
      local pool = "c:" .. it.domain
      kept[pool] = true
      configurePart(pool, it.pool, function(inner) fillPool(pool, inner) end)
    end
    configurePart("back", {
      zones = wanted.zones, conditional = wanted.conditional,
      rebindable = wanted.rebindable, isRebindingProtected = wanted.isRebindingProtected,
    }, configureBackend)
    for pool in pairs(pools) do
      if not kept[pool] then
        fillPool(pool, { servers = {}, rotation = "failover" })
        pools[pool], applied[pool] = nil, nil
      end
    end
    configurePart("external", wanted.external or false, configureExternal)
  else
    configurePart("zones", wanted.zones, configureZones)
  end
  configurePart("rate", wanted.ratePerSec, configureRate)
  settingsDigest = digest
  return settingsDigest
end

function portcullis.settingsDigest() return settingsDigest end

-- JSON, as far as it is needed here.
local function quoted(text)
  return '"' .. text:gsub('[%c"\\\127-\255]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

-- Two servers with the same name and address differ only in that the retired one is down.
local function isLeaving(server)
  for _, it in ipairs(retired) do
    if it.server:getName() == server:getName() and it.server:getNameWithAddr() == server:getNameWithAddr() and not server:isUp() then
      return true
    end
  end
  return false
end

-- Per server, in the order of `showServers`, which has the number of queries. And the cache.
function portcullis.statistics()
  local rows = {}
  for _, it in ipairs(getServers()) do
    rows[#rows + 1] = ('{"name":%s,"isLeaving":%s,"isUp":%s,"latencyMs":%.3f,"drops":%d,"outstanding":%d}'):format(
      quoted(it:getName()), tostring(isLeaving(it)), tostring(it:isUp()), it:getLatency() / 1000, it:getDrops(), it:getOutstanding())
  end
  local cache = at.isResolving and getPool("front"):getCache():getStats() or { entries = 0, hits = 0, misses = 0 }
  return ('{"servers":[%s],"cache":{"entries":%d,"hits":%d,"misses":%d}}'):format(
    table.concat(rows, ","), cache.entries, cache.hits, cache.misses)
end

-- `*` matches anything, `?` one character. It backtracks to the last star only, so that no pattern takes long.
function portcullis.matches(pattern, name)
  local p, n, star, retry = 1, 1, nil, nil
  while n <= #name do
    local c = pattern:sub(p, p)
    if c == "*" then
      star, retry, p = p, n, p + 1
    elseif c == "?" or (c ~= "" and c == name:sub(n, n)) then
      p, n = p + 1, n + 1
    elseif star then
      retry = retry + 1
      p, n = star + 1, retry
    else
      return false
    end
  end
  return pattern:sub(p):match("^%**$") ~= nil
end

-- Calls back for each line about a name that matches; a line begins with the name, which has a dot at its end.
local dumpFile = "/tmp/cache"
local function eachCached(pattern, visit)
  if not at.isResolving then return end
  os.remove(dumpFile)
  getPool("front"):getCache():dump(dumpFile)
  for line in io.lines(dumpFile) do
    local name = line:match("^([^;%s]+)%.%s")
    if name and portcullis.matches(pattern, name:lower()) then visit(name, line) end
  end
  os.remove(dumpFile)
end

function portcullis.cached(pattern, limit)
  local lines, count = {}, 0
  eachCached(pattern, function(_, line)
    count = count + 1
    if count <= limit then lines[count] = quoted(line) end
  end)
  return ('{"count":%d,"lines":[%s]}'):format(count, table.concat(lines, ","))
end

function portcullis.flushAll()
  if at.isResolving then getPool("front"):getCache():expunge(0) end
  return "[]"
end

function portcullis.flushName(name, isBelowToo)
  if at.isResolving then getPool("front"):getCache():expungeByName(newDNSName(name), DNSQType.ANY, isBelowToo) end
  return "[]"
end

-- Returns the names it found, for other caches.
function portcullis.flushMatching(pattern)
  local names, seen = {}, {}
  eachCached(pattern, function(name)
    if seen[name] then return end
    seen[name] = true
    names[#names + 1] = quoted(name)
    getPool("front"):getCache():expungeByName(newDNSName(name .. "."))
  end)
  return "[" .. table.concat(names, ",") .. "]"
end
