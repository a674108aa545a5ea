-- Decides about an answer before it is sent to a client: fresh, from the cache, or our own.
--
-- 1. A name may be an alias of a name that is blocked for this client. Then it is blocked too.
-- 2. Addresses of policies' names are in the kernel before the client gets them, or the client does not get them.
local ffi = require("ffi")
local bit = require("bit")
local C = ffi.C
local wire = require("wire")

local A, CNAME, AAAA = 1, 5, 28
local SERVFAIL, NXDOMAIN = 2, 3
local block = 2
local minSeconds, graceSeconds, maxSeconds = 3600, 60, 604800
-- The TTL of addresses of policies' names is limited, so that clients query again: after a restart the kernel has none of them, and
-- of two policies with the same address, the other may have the lower rank by then.
local maxTtlSeconds = 60

-- `settings`: folder of the filter policy; isMapping; table, family and maps, for tests.
return function(settings)
  local filterPolicy = require("verdict").open(settings.folder)
  local verdictOf = require("verdict-cache").open(filterPolicy)
  local kernel = settings.isMapping and require("kernel").open(settings.kernel or {})
  local target = ffi.new("uint8_t[256]")
  local bytes, constBytes = ffi.typeof("uint8_t*"), ffi.typeof("const uint8_t*")
  local address, addressSize = ffi.new("const void*[1]"), ffi.new("size_t[1]")
  local rawName, rawSize = ffi.new("const char*[1]"), ffi.new("size_t[1]")
  -- See query.lua.
  local handle, pointer = ffi.new("void*[1]"), ffi.typeof("dnsdist_ffi_dnsquestion_t*")
  local policies = {}

  -- The answer at hand.
  local dq, packet, size, client, policy, isAllowed

  local function tagged(label)
    local value = C.dnsdist_ffi_dnsquestion_get_tag(dq, label)
    return value ~= nil and ffi.string(value) or nil
  end

  -- Reads the answer. Returns where its records begin and how many there are. Without a loop, it is compiled as a whole.
  local function read()
    dq = ffi.cast(pointer, handle[0])
    packet = ffi.cast(bytes, C.dnsdist_ffi_dnsquestion_get_header(dq))
    size = tonumber(C.dnsdist_ffi_dnsquestion_get_len(dq))
    policy, isAllowed = tagged("p"), tagged("v") == "allow"
    C.dnsdist_ffi_dnsquestion_get_qname_raw(dq, rawName, rawSize)
    local at, count = wire.answersBehind(packet, size, tonumber(rawSize[0]))
    if count == 0 then return at, count end
    if not filterPolicy.refresh() then return nil, count end
    C.dnsdist_ffi_dnsquestion_get_remoteaddr(dq, address, addressSize)
    client = filterPolicy.client(ffi.cast(constBytes, address[0]), tonumber(addressSize[0]))
    return at, count
  end

  -- Not cached: other clients may get another answer, and a failed write to the kernel may succeed next time.
  local function withhold(result)
    C.dnsdist_ffi_dnsquestion_set_skip_cache(dq, true)
    C.dnsdist_ffi_dnsquestion_set_size(dq, wire.empty(packet, size, result))
  end

  -- The response code that replaces an answer with this alias, if any.
  local function insteadOfAlias(data)
    local targetSize = wire.unpack(packet, size, data, target)
    local it = targetSize and verdictOf(client, target, targetSize)
    if not it then return SERVFAIL end
    if it.kind ~= block then return nil end
    C.dnsdist_ffi_dnsquestion_set_tag(dq, "v", "cname")
    C.dnsdist_ffi_dnsquestion_set_tag(dq, it.label, it.by)
    return NXDOMAIN
  end

  -- Number and rank from the tag, memoized: there are few of them.
  local function policyOf(text)
    local known = policies[text]
    if known then return known end
    local number, rank = text:match("^(%d+):(%d+)$")
    known = { number = tonumber(number), rank = tonumber(rank) }
    policies[text] = known
    return known
  end

  -- nil: the answer may be sent. Otherwise the response code that replaces it.
  local function check()
    local at, count = read()
    if not at and (policy or count > 0) then return SERVFAIL end
    if count == 0 then return nil end
    if policy then kernel.begin() end
    for _ = 1, count do
      local kind, seconds, data, length = wire.record(packet, size, at)
      if not kind then return SERVFAIL end
      if kind == CNAME and not isAllowed then
        local instead = insteadOfAlias(data)
        if instead then return instead end
      elseif policy and ((kind == A and length == 4) or (kind == AAAA and length == 16)) then
        kernel.add(packet + data, length, math.min(math.max(seconds, minSeconds), maxSeconds) + graceSeconds)
        if seconds > maxTtlSeconds then wire.setSeconds(packet, data, maxTtlSeconds) end
      end
      at = data + length
    end
    if policy then
      local it = policyOf(policy)
      if not kernel.commit(it.number, it.rank, filterPolicy.rank) then return SERVFAIL end
    end
    return nil
  end

  return function(response)
    handle[0] = response
    local isFine, instead = pcall(check)
    if not isFine then instead = SERVFAIL end
    if instead then withhold(instead) end
    -- The next rule drops answers of policies' names without this tag.
    if policy then C.dnsdist_ffi_dnsquestion_set_tag(dq, "w", "1") end
    return DNSResponseAction.None
  end
end
