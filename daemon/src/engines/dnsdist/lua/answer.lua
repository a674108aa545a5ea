-- What becomes of an answer before it leaves for a client: fresh, from the cache, or made up by ourselves.
--
-- 1. A name may be an alias of one that is blocked for this client. Then it is blocked too.
-- 2. Addresses of policies' names are in the kernel before the client knows them, or the client does not get to know them.
local ffi = require("ffi")
local bit = require("bit")
local C = ffi.C
local wire = require("wire")

local A, CNAME, AAAA = 1, 5, 28
local SERVFAIL, NXDOMAIN = 2, 3
local block = 2
local leastSeconds, graceSeconds, mostSeconds = 3600, 60, 604800
-- Clients remember addresses of policies' names no longer than this, and ask again: a kernel that begins anew knows none of them, and
-- of two policies with one address another may be the stronger by then.
local toldSeconds = 60

-- `settings`: folder of the book; isMapping; table, family and maps, for tests that have others.
return function(settings)
  local book = require("verdict").open(settings.folder)
  local recall = require("verdict-cache").open(book)
  local kernel = settings.isMapping and require("kernel").open(settings.kernel or {})
  local target = ffi.new("uint8_t[256]")
  local bytes, constBytes = ffi.typeof("uint8_t*"), ffi.typeof("const uint8_t*")
  local address, addressSize = ffi.new("const void*[1]"), ffi.new("size_t[1]")
  local rawName, rawSize = ffi.new("const char*[1]"), ffi.new("size_t[1]")
  -- As with questions: see ask.lua.
  local handle, pointer = ffi.new("void*[1]"), ffi.typeof("dnsdist_ffi_dnsquestion_t*")
  local policies = {}

  -- The answer at hand.
  local dq, packet, size, client, policy, isAllowed

  local function tagged(label)
    local value = C.dnsdist_ffi_dnsquestion_get_tag(dq, label)
    return value ~= nil and ffi.string(value) or nil
  end

  -- Takes it in hand. Answers where its records begin and how many there are. Without a loop, it is compiled as a whole.
  local function take()
    dq = ffi.cast(pointer, handle[0])
    packet = ffi.cast(bytes, C.dnsdist_ffi_dnsquestion_get_header(dq))
    size = tonumber(C.dnsdist_ffi_dnsquestion_get_len(dq))
    policy, isAllowed = tagged("p"), tagged("v") == "allow"
    C.dnsdist_ffi_dnsquestion_get_qname_raw(dq, rawName, rawSize)
    local at, count = wire.answersBehind(packet, size, tonumber(rawSize[0]))
    if count == 0 then return at, count end
    if not book.refresh() then return nil, count end
    C.dnsdist_ffi_dnsquestion_get_remoteaddr(dq, address, addressSize)
    client = book.client(ffi.cast(constBytes, address[0]), tonumber(addressSize[0]))
    return at, count
  end

  -- Not into the cache: others may be answered otherwise, and what could not be written now may be written the next time.
  local function withhold(result)
    C.dnsdist_ffi_dnsquestion_set_skip_cache(dq, true)
    C.dnsdist_ffi_dnsquestion_set_size(dq, wire.empty(packet, size, result))
  end

  -- What is said instead of an answer with this alias, if anything.
  local function insteadOfAlias(data)
    local targetSize = wire.unpack(packet, size, data, target)
    local it = targetSize and recall(client, target, targetSize)
    if not it then return SERVFAIL end
    if it.kind ~= block then return nil end
    C.dnsdist_ffi_dnsquestion_set_tag(dq, "v", "cname")
    C.dnsdist_ffi_dnsquestion_set_tag(dq, it.label, it.by)
    return NXDOMAIN
  end

  -- What the tag says. There are few of them, and all stay what they are.
  local function policyOf(text)
    local known = policies[text]
    if known then return known end
    local number, rank = text:match("^(%d+):(%d+)$")
    known = { number = tonumber(number), rank = tonumber(rank) }
    policies[text] = known
    return known
  end

  -- nil: it may leave. Otherwise what is said instead of it.
  local function look()
    local at, count = take()
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
        kernel.add(packet + data, length, math.min(math.max(seconds, leastSeconds), mostSeconds) + graceSeconds)
        if seconds > toldSeconds then wire.setSeconds(packet, data, toldSeconds) end
      end
      at = data + length
    end
    if policy then
      local it = policyOf(policy)
      if not kernel.commit(it.number, it.rank, book.rank) then return SERVFAIL end
    end
    return nil
  end

  return function(question)
    handle[0] = question
    local isFine, instead = pcall(look)
    if not isFine then instead = SERVFAIL end
    if instead then withhold(instead) end
    -- The next rule throws away answers of policies' names without this word.
    if policy then C.dnsdist_ffi_dnsquestion_set_tag(dq, "w", "1") end
    return DNSResponseAction.None
  end
end
