-- Caches verdicts of recently queried names. Most queries are for the same few names, and this is one
-- lookup instead of one for each label, layer and list.
--
-- Most names match no rule for any client. These are cached once for all clients; only client-specific verdicts are cached per client.
-- The cache is valid for one generation of the filter policy; switching filtering on or off begins a new one.
local ffi = require("ffi")
local bit = require("bit")
local band = bit.band
local wire = require("wire")

local maxNames = 16384

local verdictCache = {}

-- Returns a function: client, name and its size → verdict with its tags; nil if it is no name.
function verdictCache.open(filterPolicy)
  local names, count, age = {}, 0, -1
  local lower = ffi.new("uint8_t[256]")

  local function clear()
    names, count = {}, 0
  end

  local function reserve()
    if count >= maxNames then clear() end
    count = count + 1
  end

  -- The part that is the same for all clients, with kind 0 for clients without a matching rule or list.
  local function outline(key, name, size)
    local lowerSize = wire.lower(name, size, lower)
    if not lowerSize then return nil end
    local number, rank = filterPolicy.route(lower, lowerSize)
    local isRuled, lists = filterPolicy.outline(lower, lowerSize)
    local it = { kind = 0, number = number, policy = number and (number .. ":" .. rank), isRuled = isRuled, lists = lists, verdicts = {} }
    reserve()
    names[key] = it
    return it
  end

  local function verdict(it, client, who, name, size)
    local lowerSize = wire.lower(name, size, lower)
    local kind, action, by, isList = filterPolicy.verdict(client, lower, lowerSize)
    local found = { kind = kind, action = action, by = tostring(by) .. filterPolicy.revision, label = isList and "l" or "r", number = it.number, policy = it.policy }
    reserve()
    it.verdicts[who] = found
    return found
  end

  return function(client, name, size)
    if age ~= client.age then
      clear()
      age = client.age
    end
    -- In the original spelling: lower-casing would cost more than everything else.
    local key = ffi.string(name, size)
    local it = names[key] or outline(key, name, size)
    if not it then return nil end
    local who = client
    if not it.isRuled and not client.hasRegexes then
      if band(it.lists, client.lists) == 0 then return it end
      who = client.lists
    end
    return it.verdicts[who] or verdict(it, client, who, name, size)
  end
end

return verdictCache
