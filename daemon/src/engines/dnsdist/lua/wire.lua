-- Names and records as they stand in a DNS packet. Nothing here trusts a length that it has read.
local ffi = require("ffi")
local bit = require("bit")
local band = bit.band

local wire = {}

local longestName = 255
local headerSize = 12

-- Copies a name in wire form to `out`, in lower case: clients vary the case of queries. Returns its length with the
-- final zero byte, or nil if it is malformed. `out` has 256 bytes.
function wire.lower(name, size, out)
  local at = 0
  while at < size and at < longestName do
    local length = name[at]
    out[at] = length
    if length == 0 then return at + 1 end
    if length > 63 or at + length >= size then return nil end
    for i = at + 1, at + length do
      local c = name[i]
      if c >= 65 and c <= 90 then c = c + 32 end
      out[i] = c
    end
    at = at + length + 1
  end
  return nil
end

-- The place behind the name that stands at a place, or nil.
function wire.skip(packet, size, at)
  while at < size do
    local length = packet[at]
    if length == 0 then return at + 1 end
    if length >= 192 then return at + 2 end
    if length > 63 then return nil end
    at = at + length + 1
  end
  return nil
end

-- The whole name at a place, in lower case, with its pointers followed. Each of them must lead further to the front, so that none
-- can be followed forever.
function wire.expand(packet, size, at, out)
  local written, limit = 0, at
  while at < size do
    local length = packet[at]
    if length >= 192 then
      if at + 1 >= size then return nil end
      local target = band(length, 63) * 256 + packet[at + 1]
      if target >= limit then return nil end
      at, limit = target, target
    elseif length > 63 or at + length >= size or written + length + 1 > longestName then
      return nil
    else
      out[written] = length
      if length == 0 then return written + 1 end
      for i = 1, length do
        local c = packet[at + i]
        if c >= 65 and c <= 90 then c = c + 32 end
        out[written + i] = c
      end
      written = written + length + 1
      at = at + length + 1
    end
  end
  return nil
end

-- The same, by the C library where it has a function for it, which is many times faster. Letters stay as they are.
local isDeclared = pcall(ffi.cdef, "int ns_name_unpack(const uint8_t *, const uint8_t *, const uint8_t *, uint8_t *, size_t);") and pcall(ffi.cdef, "size_t strlen(const uint8_t *);")
local hasUnpack = isDeclared and pcall(function() return ffi.C.ns_name_unpack, ffi.C.strlen end)
function wire.unpack(packet, size, at, out)
  if not hasUnpack then return wire.expand(packet, size, at, out) end
  if at >= size or ffi.C.ns_name_unpack(packet, packet + size, packet + at, out, longestName) < 0 then return nil end
  -- A label with a zero byte ends there: then its length is wrong, and the name is invalid.
  return tonumber(ffi.C.strlen(out)) + 1
end

-- Where the answers of a packet begin, and how many there are. A packet without exactly one question counts as without answers.
function wire.answers(packet, size)
  if size < headerSize or packet[4] * 256 + packet[5] ~= 1 then return nil, 0 end
  local at = wire.skip(packet, size, headerSize)
  if not at or at + 4 > size then return nil, 0 end
  return at + 4, packet[6] * 256 + packet[7]
end

-- The same, for a query with a known length of its name.
function wire.answersBehind(packet, size, nameSize)
  if size < headerSize then return nil, 0 end
  local at, count = headerSize + nameSize + 4, packet[6] * 256 + packet[7]
  if at > size or packet[4] * 256 + packet[5] ~= 1 then return nil, count end
  return at, count
end

-- One record: its type, lifetime, where its data begins and how long that is. Its end is the place of the next.
function wire.record(packet, size, at)
  -- Nearly always it is a pointer to a name before it.
  at = at < size and packet[at] >= 192 and at + 2 or wire.skip(packet, size, at)
  if not at or at + 10 > size then return nil end
  local kind = packet[at] * 256 + packet[at + 1]
  local seconds = ((packet[at + 4] * 256 + packet[at + 5]) * 256 + packet[at + 6]) * 256 + packet[at + 7]
  local length = packet[at + 8] * 256 + packet[at + 9]
  if at + 10 + length > size then return nil end
  return kind, seconds, at + 10, length
end

-- Another lifetime for the record whose data begins there; one that `record` has found.
function wire.setSeconds(packet, data, seconds)
  packet[data - 6], packet[data - 5], packet[data - 4], packet[data - 3] = 0, 0, bit.rshift(seconds, 8), band(seconds, 255)
end

-- Removes all records from a packet except the question section, and sets the response code. Returns the new size.
function wire.empty(packet, size, result)
  local at = wire.skip(packet, size, headerSize)
  if not at or at + 4 > size then
    at = headerSize - 4
    packet[4], packet[5] = 0, 0
  end
  for i = 6, 11 do packet[i] = 0 end
  packet[3] = bit.bor(band(packet[3], 0x50), 0x80, result) -- Neither AD nor Z: what is left was not validated.
  return at + 4
end

return wire
