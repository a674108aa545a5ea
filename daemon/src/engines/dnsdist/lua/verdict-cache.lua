-- What the book says of names that were asked a moment ago. Most questions of a house are the same few again and again, and this is one
-- look instead of one for each label, layer and list.
--
-- Of most names no rule speaks, whoever asks. Those are remembered once for all; only what depends on who asks is remembered for each.
-- Nothing here outlives the generation of the book that it was read from; so whoever switches filtering on or off begins one too.
local ffi = require("ffi")
local bit = require("bit")
local band = bit.band
local wire = require("wire")

local mostRemembered = 16384

local memory = {}

-- Answers a function: client, name and its size → what becomes of it, with everything as the tags spell it; nothing if it is no name.
function memory.open(book)
  local names, count, age = {}, 0, -1
  local lower = ffi.new("uint8_t[256]")

  local function forget()
    names, count = {}, 0
  end

  local function makeRoom()
    if count >= mostRemembered then forget() end
    count = count + 1
  end

  -- What is so for everybody; and that nothing becomes of it, which holds for all whom neither rule nor list speaks to.
  local function outline(key, name, size)
    local lowerSize = wire.lower(name, size, lower)
    if not lowerSize then return nil end
    local number, rank = book.route(lower, lowerSize)
    local isRuled, lists = book.outline(lower, lowerSize)
    local it = { kind = 0, number = number, policy = number and (number .. ":" .. rank), isRuled = isRuled, lists = lists, said = {} }
    makeRoom()
    names[key] = it
    return it
  end

  local function verdict(it, client, who, name, size)
    local lowerSize = wire.lower(name, size, lower)
    local kind, action, by, isList = book.verdict(client, lower, lowerSize)
    local said = { kind = kind, action = action, by = tostring(by) .. book.revision, label = isList and "l" or "r", number = it.number, policy = it.policy }
    makeRoom()
    it.said[who] = said
    return said
  end

  return function(client, name, size)
    if age ~= client.age then
      forget()
      age = client.age
    end
    -- As it was spelled: to look at each letter would cost more than all the rest.
    local key = ffi.string(name, size)
    local it = names[key] or outline(key, name, size)
    if not it then return nil end
    local who = client
    if not it.isRuled and not client.hasRegexes then
      if band(it.lists, client.lists) == 0 then return it end
      who = client.lists
    end
    return it.said[who] or verdict(it, client, who, name, size)
  end
end

return memory
