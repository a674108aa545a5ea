-- Decides about a query, before the cache and before any server. One instance per thread; all data is in the filter policy.
--
-- Only queries that passed here continue: the last rule of the configuration refuses queries without a pool, so that a
-- mistake in this file leads to a failed answer, and not to an unfiltered one.
local ffi = require("ffi")
local C = ffi.C

local A, AAAA, SVCB, HTTPS = 1, 28, 64, 65
local kinds = { allow = 1, block = 2, rewrite = 3 }
local words = { "allow", "block", "rewrite" }
local logsNothing = 2
local maxAddresses = 32

-- `settings`: folder of the filter policy; isResolving; isMapping; alias, the port for queries of rewrite targets.
return function(settings)
  -- Loaded here to fail early: a script that does not load would guard no answer.
  if settings.isMapping then require("kernel") end
  require("answer")
  local alias = settings.alias and require("alias").open(settings.alias)

  local filterPolicy = require("verdict").open(settings.folder)
  local verdictOf = require("verdict-cache").open(filterPolicy)
  local bytes = ffi.typeof("const uint8_t*")
  local rawName, rawSize = ffi.new("const char*[1]"), ffi.new("size_t[1]")
  local address, addressSize = ffi.new("const void*[1]"), ffi.new("size_t[1]")
  local values = ffi.new("dnsdist_ffi_raw_value_t[?]", maxAddresses)

  local function tag(dq, label, value) C.dnsdist_ffi_dnsquestion_set_tag(dq, label, value) end

  -- Clients without an egress get answers from local zones only; all others from the resolver. Where filtering is paused,
  -- that is our own resolver, and never the external filter.
  local function resolve(dq, client)
    if not settings.isResolving then
      tag(dq, "queried", "1")
      return DNSAction.None
    end
    if client.skipsExternalFilter then C.dnsdist_ffi_dnsquestion_set_result(dq, "resolver", 8)
    else C.dnsdist_ffi_dnsquestion_set_result(dq, "front", 5) end
    return DNSAction.Pool
  end

  local function refuse(dq, how)
    tag(dq, "a", how)
    return DNSAction.None
  end

  local function spoof(dq, first, count, size)
    if count > maxAddresses then count = maxAddresses end
    for i = 0, count - 1 do
      values[i].value = ffi.cast("const char*", first + i * size)
      values[i].size = size
    end
    C.dnsdist_ffi_dnsquestion_spoof_addrs(dq, values, count)
    return DNSAction.HeaderModify
  end

  -- `action` points at the number of IPv4 addresses; those of IPv6 and a name follow.
  local function rewrite(dq, action)
    local kind = C.dnsdist_ffi_dnsquestion_get_qtype(dq)
    local v4 = action[0]
    local at = 1 + v4 * 4
    local v6 = action[at]
    local cname = at + 1 + v6 * 16
    if action[cname] > 0 and alias then return alias.answer(dq, kind, action + cname + 1, action[cname]) end
    if kind == A and v4 > 0 then return spoof(dq, action + 1, v4, 4) end
    if kind == AAAA and v6 > 0 then return spoof(dq, action + at + 1, v6, 16) end
    return refuse(dq, "nodata")
  end

  -- dnsdist passes a type that LuaJIT handles in the interpreter only. As a pointer, everything is compiled.
  local handle, pointer = ffi.new("void*[1]"), ffi.typeof("dnsdist_ffi_dnsquestion_t*")
  local function decide()
    local dq = ffi.cast(pointer, handle[0])
    if not filterPolicy.refresh() then return DNSAction.None end
    C.dnsdist_ffi_dnsquestion_get_qname_raw(dq, rawName, rawSize)
    C.dnsdist_ffi_dnsquestion_get_remoteaddr(dq, address, addressSize)
    local client = filterPolicy.client(ffi.cast(bytes, address[0]), tonumber(addressSize[0]))
    if client.log == logsNothing then tag(dq, "quiet", "1") end

    local it = verdictOf(client, ffi.cast(bytes, rawName[0]), tonumber(rawSize[0]))
    if not it then return DNSAction.Drop end
    if it.number then
      -- A process that was started without such names cannot write to the kernel. It is replaced soon.
      if not settings.isMapping then return DNSAction.None end
      tag(dq, "p", it.policy)
      -- These contain addresses, which would not get into the kernel.
      local kind = C.dnsdist_ffi_dnsquestion_get_qtype(dq)
      if kind == SVCB or kind == HTTPS then return refuse(dq, "nodata") end
    end
    local kind = it.kind
    -- The client has no IPv6. A rewrite is an explicit choice and stays.
    if client.isWithoutV6 and kind <= kinds.allow and C.dnsdist_ffi_dnsquestion_get_qtype(dq) == AAAA then
      return refuse(dq, "nodata")
    end
    if kind == 0 then return resolve(dq, client) end
    tag(dq, "v", words[kind])
    tag(dq, it.label, it.by)
    if kind == kinds.allow then return resolve(dq, client) end
    if kind == kinds.block then return refuse(dq, "nx") end
    return rewrite(dq, it.action)
  end

  return function(dq)
    handle[0] = dq
    return decide()
  end
end
