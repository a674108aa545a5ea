-- The record of a client in the filter policy file: its log level and its settings, and those that hold for a while.
local bit = require("bit")
local cdb = require("cdb")
local band, uint32 = bit.band, cdb.uint32

local clientRecord = {}

-- Bits of lists, the number of layers, and the layers. Also returns where they end; nothing if that is behind `stop`.
local function readSettings(rules, at, stop, from)
  local bytes = rules.bytes
  if at + 5 > stop or at + 5 + bytes[at + 4] * 2 > stop then return nil end
  local settings = {
    log = from.log, age = from.age, lists = uint32(rules, at), layers = {}, count = bytes[at + 4],
    hasRegexes = false, isWithoutV6 = false,
  }
  for index = 1, settings.count do
    local here = at + 3 + index * 2
    settings.layers[index] = from.layer(bytes[here] + bytes[here + 1] * 256)
    if settings.layers[index].regexCount > 0 then settings.hasRegexes = true end
  end
  return settings, at + 5 + settings.count * 2
end

-- The first of the phases, each with what follows it; `last` if there are none. Of phases that are not whole none holds.
local function readPhases(rules, at, stop, from, last)
  local phases, bytes = {}, rules.bytes
  if at >= stop then return last end
  local here = at + 1
  for index = 1, bytes[at] do
    if here + 5 > stop then return last end
    local phase, phaseEnd = readSettings(rules, here + 5, stop, from)
    if not phase then return last end
    local flags = bytes[here + 4]
    phase.untilSec = uint32(rules, here) % 4294967296
    phase.isWithoutV6, phase.skipsExternalFilter = band(flags, 1) ~= 0, band(flags, 2) ~= 0
    phases[index], here = phase, phaseEnd
  end
  for index = 1, #phases do phases[index].following = phases[index + 1] or last end
  return phases[1] or last
end

-- nil if it is not whole. `layer` returns the layer of a number; `age` is that of the filter policy.
function clientRecord.read(rules, at, length, layer, age)
  local stop = at + length
  if length < 6 then return nil end
  local from = { log = rules.bytes[at], age = age, layer = layer }
  local last, here = readSettings(rules, at + 1, stop, from)
  if not last or here >= stop then return last end
  last.isWithoutV6 = band(rules.bytes[here], 1) ~= 0
  return readPhases(rules, here + 1, stop, from, last)
end

return clientRecord
