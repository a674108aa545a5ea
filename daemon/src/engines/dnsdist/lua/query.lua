-- What becomes of a question, before the cache and before anybody else is asked. One of these per thread; all data is in the book.
--
-- Only what was looked at here goes any further: the last rule of the configuration refuses whatever has no pool by then, so that a
-- mistake in this file is an answer that fails, and not one that was never filtered.
local ffi = require("ffi")
local C = ffi.C

local A, AAAA, SVCB, HTTPS = 1, 28, 64, 65
local kinds = { allow = 1, block = 2, rewrite = 3 }
local words = { "allow", "block", "rewrite" }
local logsNothing = 2
local mostAddresses = 32

-- `settings`: folder of the book; isResolving; isMapping; alias, the port where names that others are rewritten to are asked.
return function(settings)
  -- Loaded for its mistakes: answers are not guarded by anything that does not load.
  if settings.isMapping then require("kernel") end
  require("answer")
  local alias = settings.alias and require("alias").open(settings.alias)

  local book = require("verdict").open(settings.folder)
  local recall = require("verdict-cache").open(book)
  local bytes = ffi.typeof("const uint8_t*")
  local rawName, rawSize = ffi.new("const char*[1]"), ffi.new("size_t[1]")
  local address, addressSize = ffi.new("const void*[1]"), ffi.new("size_t[1]")
  local values = ffi.new("dnsdist_ffi_raw_value_t[?]", mostAddresses)

  local function tag(dq, label, value) C.dnsdist_ffi_dnsquestion_set_tag(dq, label, value) end

  -- A zone of its own answers those who leave by no way; for all others there is the resolver.
  local function resolve(dq)
    if not settings.isResolving then
      tag(dq, "asked", "1")
      return DNSAction.None
    end
    C.dnsdist_ffi_dnsquestion_set_result(dq, "front", 5)
    return DNSAction.Pool
  end

  local function refuse(dq, how)
    tag(dq, "a", how)
    return DNSAction.None
  end

  local function spoof(dq, first, count, size)
    if count > mostAddresses then count = mostAddresses end
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

  -- Questions arrive as something that LuaJIT can hand on only while it interprets. As a pointer, everything is compiled.
  local handle, pointer = ffi.new("void*[1]"), ffi.typeof("dnsdist_ffi_dnsquestion_t*")
  local function ask()
    local dq = ffi.cast(pointer, handle[0])
    if not book.refresh() then return DNSAction.None end
    C.dnsdist_ffi_dnsquestion_get_qname_raw(dq, rawName, rawSize)
    C.dnsdist_ffi_dnsquestion_get_remoteaddr(dq, address, addressSize)
    local client = book.client(ffi.cast(bytes, address[0]), tonumber(addressSize[0]))
    if client.log == logsNothing then tag(dq, "quiet", "1") end

    local it = recall(client, ffi.cast(bytes, rawName[0]), tonumber(rawSize[0]))
    if not it then return DNSAction.Drop end
    if it.number then
      -- One that was started before there were such names cannot write to the kernel. Another takes its place soon.
      if not settings.isMapping then return DNSAction.None end
      tag(dq, "p", it.policy)
      -- These carry addresses of their own, which nobody would put into the kernel.
      local kind = C.dnsdist_ffi_dnsquestion_get_qtype(dq)
      if kind == SVCB or kind == HTTPS then return refuse(dq, "nodata") end
    end
    local kind = it.kind
    -- It could not reach what it would be told of. A rewrite says what its writer wanted.
    if client.isWithoutV6 and kind <= kinds.allow and C.dnsdist_ffi_dnsquestion_get_qtype(dq) == AAAA then
      return refuse(dq, "nodata")
    end
    if kind == 0 then return resolve(dq) end
    tag(dq, "v", words[kind])
    tag(dq, it.label, it.by)
    if kind == kinds.allow then return resolve(dq) end
    if kind == kinds.block then return refuse(dq, "nx") end
    return rewrite(dq, it.action)
  end

  return function(dq)
    handle[0] = dq
    return ask()
  end
end
