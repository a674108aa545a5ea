-- Rebinding protection: an upstream answer with an internal address would let a foreign web page
-- access hosts behind the gateway. Names that may have such addresses are exempt: a rule tags them.
local ffi = require("ffi")
local bit = require("bit")
local C = ffi.C
local wire = require("wire")

local A, AAAA, SVCB, HTTPS = 1, 28, 64, 65
local hint4, hint6 = 4, 6
local NOERROR = 0

local upstream = {}

-- This host, private, loopback and link-local.
function upstream.isInside4(address)
  local a, b = address[0], address[1]
  return a == 0 or a == 10 or a == 127 or (a == 169 and b == 254) or (a == 172 and b >= 16 and b <= 31) or (a == 192 and b == 168)
end

-- Unspecified, loopback, IPv4 in disguise, unique local and link-local.
function upstream.isInside6(address)
  local a, b = address[0], address[1]
  if bit.band(a, 0xfe) == 0xfc or (a == 0xfe and bit.band(b, 0xc0) == 0x80) then return true end
  for i = 0, 9 do
    if address[i] ~= 0 then return false end
  end
  if address[10] == 0xff and address[11] == 0xff then return upstream.isInside4(address + 12) end
  for i = 10, 14 do
    if address[i] ~= 0 then return false end
  end
  return address[15] <= 1
end

local function anyInside(packet, at, length, size, isInside)
  for i = at, at + length - size, size do
    if isInside(packet + i) then return true end
  end
  return false
end

-- Hints in records of services: priority, a name, then keys with values.
local function hasInsideHint(packet, at, ending)
  at = wire.skip(packet, ending, at + 2)
  while at and at + 4 <= ending do
    local key, length = packet[at] * 256 + packet[at + 1], packet[at + 2] * 256 + packet[at + 3]
    at = at + 4
    if at + length > ending then return true end -- Malformed: clients may parse it differently.
    if key == hint4 and anyInside(packet, at, length, 4, upstream.isInside4) then return true end
    if key == hint6 and anyInside(packet, at, length, 16, upstream.isInside6) then return true end
    at = at + length
  end
  return at == nil
end

function upstream.leadsInside(packet, size)
  local at, count = wire.answers(packet, size)
  if count == 0 then return false end
  if not at then return true end
  for _ = 1, count do
    local kind, _, data, length = wire.record(packet, size, at)
    if not kind then return true end
    if kind == A and length == 4 and upstream.isInside4(packet + data) then return true end
    if kind == AAAA and length == 16 and upstream.isInside6(packet + data) then return true end
    if (kind == SVCB or kind == HTTPS) and hasInsideHint(packet, data, data + length) then return true end
    at = data + length
  end
  return false
end

-- An empty answer, not a failure: Unbound would retry.
function upstream.guard(dq)
  local packet = ffi.cast("uint8_t*", C.dnsdist_ffi_dnsquestion_get_header(dq))
  local size = tonumber(C.dnsdist_ffi_dnsquestion_get_len(dq))
  local isFine, isInside = pcall(upstream.leadsInside, packet, size)
  if not isFine or isInside then
    C.dnsdist_ffi_dnsquestion_set_tag(dq, "v", "rebind")
    C.dnsdist_ffi_dnsquestion_set_size(dq, wire.empty(packet, size, NOERROR))
  end
  C.dnsdist_ffi_dnsquestion_set_tag(dq, "g", "1")
  return DNSResponseAction.None
end

return upstream
