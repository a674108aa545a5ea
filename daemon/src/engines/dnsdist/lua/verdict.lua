-- Evaluates the filter policy for a client and a name, from the files that the daemon writes.
-- No allocation per query: names are copied into static buffers, and records of clients are cached.
local ffi = require("ffi")
local bit = require("bit")
local cdb = require("cdb")
local format = require("policy-format")
local clientRecord = require("client-record")
local band, bor, bxor, lshift, rshift = bit.band, bit.bor, bit.bxor, bit.lshift, bit.rshift
local seconds = require("monotonic").seconds
local find, search, hashOf, uint32 = cdb.find, cdb.search, cdb.hash, cdb.uint32
local actionEnd, isStronger, lets, readSieve = format.actionEnd, format.isStronger, format.lets, format.sieve
local letterAllow, letterBlock, everything = format.letterAllow, format.letterBlock, format.everything

local none, allow, block, rewrite = 0, 1, 2, 3
local keyClient, keyOthers, keyExact, keySuffix, keyWildcard = 99, 100, 101, 115, 119
local keyKinds, keyPrefixes4, keyPrefixes6, keyRank, keyRoute, keyRegexes, keyAll, keyRevision = 108, 109, 110, 114, 116, 120, 97, 118
local hasExact, hasSuffix, hasWildcard, hasAll = 1, 2, 4, 7
local mostNameBytes, mostLabelBytes, dot = 255, 63, 46
local mostClients = 16384
local wordType = ffi.typeof("const uint32_t *")

local lowerCase = ffi.new("uint8_t[256]")
for byte = 0, 255 do lowerCase[byte] = (byte >= 65 and byte <= 90) and byte + 32 or byte end

local verdict = {}

function verdict.open(folder)
  local page, rules, lists
  local routes, everybodys = everything, everything
  local generation, age = -1, 0
  local prefixes = { [4] = {}, [16] = {} }
  local records, layers, clients, clientCount = {}, {}, {}, 0
  local address = ffi.new("uint8_t[16]")
  local key = ffi.new("uint8_t[300]")
  local name = ffi.new("uint8_t[256]")
  local nameLength, labels = 0, 0
  local labelAt = ffi.new("uint8_t[128]")
  local hashes = ffi.new("int32_t[128]")
  local text = ffi.new("uint8_t[256]")
  local textLength = -1

  local function readPrefixes(letter)
    local found = {}
    key[0] = letter
    local at, length = find(rules, key, 0, 1)
    if at then for index = 0, length - 1 do found[index + 1] = rules.bytes[at + index] end end
    return found
  end

  -- A sieve that belongs to no layer.
  local function readCommonSieve(keyLength)
    key[0], key[1] = keyKinds, keyAll
    local at, length = find(rules, key, 0, keyLength)
    if not at then return everything end
    return readSieve(rules, at + 1, length - 1)
  end

  -- The revision of the rules, as in the tags; empty for a file of an earlier daemon.
  local function readRevision()
    key[0] = keyRevision
    local at, length = find(rules, key, 0, 1)
    return at and length == 4 and "@" .. ("%.0f"):format(uint32(rules, at) % 4294967296) or ""
  end

  local function layerKey(letter, number)
    key[0], key[1], key[2] = letter, rshift(number, 8), band(number, 255)
  end

  local function layer(number)
    local known = layers[number]
    if known then return known end
    layerKey(keyKinds, number)
    local at, length = find(rules, key, 0, 3)
    local kinds, sieve = hasAll, everything
    if at and length > 1 then kinds, sieve = rules.bytes[at], readSieve(rules, at + 1, length - 1) end
    layerKey(keyRegexes, number)
    at, length = find(rules, key, 0, 3)
    local regexes = at and format.regexes(rules, at, length) or {}
    known = { number = number, kinds = kinds, sieve = sieve, regexes = regexes, regexCount = #regexes }
    layers[number] = known
    return known
  end

  local unknownClient = { log = 0, lists = 0, layers = {}, count = 0, age = 0, hasRegexes = false, isWithoutV6 = false }

  local function readRecord(at, length)
    local known = records[at]
    if known then return known end
    local record = clientRecord.read(rules, at, length, layer, age)
    if not record then return unknownClient end
    records[at] = record
    return record
  end

  local function searchClient(length)
    local known = prefixes[length]
    for index = 1, #known do
      local prefix = known[index]
      key[0], key[1] = keyClient, prefix
      for at = 0, length - 1 do
        local bits = prefix - at * 8
        if bits >= 8 then key[2 + at] = address[at]
        elseif bits <= 0 then key[2 + at] = 0
        else key[2 + at] = band(address[at], lshift(255, 8 - bits)) end
      end
      local at, size = find(rules, key, 0, 2 + length)
      if at then return readRecord(at, size) end
    end
    key[0] = keyOthers
    local at, size = find(rules, key, 0, 1)
    if at then return readRecord(at, size) end
    return unknownClient
  end

  local function isMapped(pointer)
    for at = 0, 9 do if pointer[at] ~= 0 then return false end end
    return pointer[10] == 255 and pointer[11] == 255
  end

  -- What holds now, where settings were for a while.
  local function following(who, record)
    while record.untilSec and seconds() >= record.untilSec do record = record.following end
    clients[who] = record
    return record
  end

  -- The client. The result is valid until the next refresh. There is no loop on the path of a known client, because
  -- its callers would no longer be compiled as a whole.
  local function client(pointer, length)
    if not rules then return unknownClient end
    local from, who = 0, nil
    if length == 4 then who = ffi.cast(wordType, pointer)[0]
    elseif length == 16 then who = ffi.string(pointer, 16)
    else return unknownClient end
    local record = clients[who]
    if record then
      if record.untilSec and seconds() >= record.untilSec then return following(who, record) end
      return record
    end
    if length == 16 and isMapped(pointer) then from, length = 12, 4 end
    for at = 0, length - 1 do address[at] = pointer[from + at] end
    record = searchClient(length)
    if clientCount >= mostClients then clients, clientCount = {}, 0 end
    clientCount = clientCount + 1
    return following(who, record)
  end

  local function isTaken(wire, length)
    if length ~= nameLength then return false end
    local same = 0
    while same < length and lowerCase[wire[same]] == name[same] do same = same + 1 end
    return same == length
  end

  -- Copies a name in lower case and stores where its labels begin; false if it is invalid. The same name often comes
  -- more than once in a row.
  local function take(wire, length)
    if isTaken(wire, length) then return true end
    nameLength, labels, textLength = 0, 0, -1
    if length > mostNameBytes then return false end
    local left, stop = 0, -1
    for at = 0, length - 1 do
      local byte = wire[at]
      if left > 0 then
        name[at] = lowerCase[byte]
        left = left - 1
      elseif byte == 0 then
        name[at] = 0
        stop = at + 1
        break
      elseif byte > mostLabelBytes then
        return false
      else
        name[at] = byte
        labelAt[labels] = at
        labels = labels + 1
        left = byte
      end
    end
    if stop < 0 then return false end
    for label = 0, labels - 1 do hashes[label] = hashOf(name, labelAt[label], stop - labelAt[label]) end
    nameLength = stop
    return true
  end

  -- As people write it, without the dot at its end.
  local function write()
    textLength = nameLength > 2 and nameLength - 2 or 0
    for at = 0, textLength - 1 do text[at] = name[at + 1] end
    for label = 1, labels - 1 do text[labelAt[label] - 1] = dot end
  end

  local function accepts(regex)
    if textLength < 0 then write() end
    local state = 0
    local classes, classOf, following = regex.classes, regex.classOf, regex.following
    for at = 0, textLength - 1 do state = following[state * classes + classOf[text[at]]] end
    return regex.accepting[state] == 1
  end

  -- Where the action of a rule is, for the suffix that was put into the key.
  local function rule(letter, length)
    key[0] = letter
    local at, size = find(rules, key, 0, 3 + length)
    if at and actionEnd(rules.bytes, at, at + size) then return at end
    return nil
  end

  local function putSuffix(label)
    local from = labelAt[label]
    local length = nameLength - from
    -- A negative length would be copied as gigabytes. A query that fails is refused.
    if length < 1 then error("a label behind the end of its name") end
    ffi.copy(key + 3, name + from, length)
    return length
  end

  -- The rule of a layer for one suffix of the name.
  local function decideAt(it, label)
    local kinds = it.kinds
    key[1], key[2] = rshift(it.number, 8), band(it.number, 255)
    local length = putSuffix(label)
    if label == 0 and band(kinds, hasExact) ~= 0 then
      local exact = rule(keyExact, length)
      if exact then return exact end
    end
    local suffix = band(kinds, hasSuffix) ~= 0 and rule(keySuffix, length) or nil
    local wildcard = label > 0 and band(kinds, hasWildcard) ~= 0 and rule(keyWildcard, length) or nil
    if suffix and wildcard then
      return isStronger(rules.bytes[wildcard], rules.bytes[suffix]) and wildcard or suffix
    end
    return suffix or wildcard
  end

  local function decide(it)
    local sieve = it.sieve
    for label = 0, labels - 1 do
      if lets(sieve, hashes[label]) then
        local at = decideAt(it, label)
        if at then return at end
      end
    end
    for index = 1, it.regexCount do
      local regex = it.regexes[index]
      if accepts(regex) then return regex.at end
    end
    return nil
  end

  local function lowest(bits)
    local number = 0
    while band(bits, 1) == 0 do
      bits = rshift(bits, 1)
      number = number + 1
    end
    return number
  end

  -- Bits of all lists that block it, and of all that allow it.
  local function inLists()
    local blocked, allowed = 0, 0
    for label = 0, labels - 1 do
      local from = labelAt[label]
      local at, size = search(lists, hashes[label], name, from, nameLength - from)
      if at and size >= 8 then
        local which = label == 0 and 0 or 4
        blocked = bor(blocked, uint32(lists, at + which))
        if size >= 16 then allowed = bor(allowed, uint32(lists, at + 8 + which)) end
      end
    end
    return blocked, allowed
  end

  local function listed(mask)
    local blocked, allowed = inLists()
    blocked, allowed = band(blocked, mask), band(allowed, mask)
    if allowed ~= 0 then return allow, nil, lowest(allowed), true end
    if blocked ~= 0 then return block, nil, lowest(blocked), true end
    return none, nil, 0, false
  end

  local filterPolicy = { revision = "" }

  -- Loads new files of the daemon unless they are invalid. False before the first valid ones:
  -- then no query is answered.
  function filterPolicy.refresh()
    if not page then
      local bytes, length = cdb.map(folder .. "/state")
      if not bytes or length < 8 then return false end
      page = ffi.cast("volatile const uint32_t *", bytes)
    end
    local now = page[0]
    if now == generation and rules and lists then return true end
    local newRules, newLists = cdb.open(folder .. "/policy.cdb"), cdb.open(folder .. "/lists.cdb")
    generation, age = now, age + 1
    unknownClient.age = age
    if newRules then
      if rules then cdb.close(rules) end
      rules = newRules
    end
    if newLists then
      if lists then cdb.close(lists) end
      lists = newLists
    end
    records, layers, clients, clientCount = {}, {}, {}, 0
    if rules then
      prefixes[4], prefixes[16] = readPrefixes(keyPrefixes4), readPrefixes(keyPrefixes6)
      routes, everybodys = readCommonSieve(1), readCommonSieve(2)
      filterPolicy.revision = readRevision()
    end
    return rules ~= nil and lists ~= nil
  end

  filterPolicy.client = client

  -- Kind (0 none, 1 allow, 2 block, 3 rewrite); where the answers of a rewrite are; the number of the rule, or the bit
  -- of the list; whether it was a list.
  function filterPolicy.verdict(record, wire, length)
    if record.age ~= age then error("a client of an earlier filter policy") end
    if not lists or band(page[1], 1) == 0 or not take(wire, length) then return none, nil, 0, false end
    for index = 1, record.count do
      local at = decide(record.layers[index])
      if at then
        local letter, number = rules.bytes[at], uint32(rules, at + 1)
        if letter == letterAllow then return allow, nil, number, false end
        if letter == letterBlock then return block, nil, number, false end
        return rewrite, rules.bytes + (at + 5), number, false
      end
    end
    if record.lists == 0 then return none, nil, 0, false end
    return listed(record.lists)
  end

  -- Whether any rule may match a name for any client, without regular expressions; and bits of the lists it is in. Where
  -- no rule matches, these decide.
  function filterPolicy.outline(wire, length)
    if not lists or band(page[1], 1) == 0 or not take(wire, length) then return false, 0 end
    local blocked, allowed = inLists()
    for label = 0, labels - 1 do
      if lets(everybodys, hashes[label]) then return true, bor(blocked, allowed) end
    end
    return false, bor(blocked, allowed)
  end

  -- The number of the policy a name belongs to and its rank, whether names are filtered or not.
  function filterPolicy.route(wire, length)
    if not rules or not take(wire, length) then return nil end
    for label = 0, labels - 1 do
      if lets(routes, hashes[label]) then
        local size = putSuffix(label)
        key[2] = keyRoute
        local at, valueLength = find(rules, key, 2, 1 + size)
        if at and valueLength == 8 then return uint32(rules, at), uint32(rules, at + 4) end
      end
    end
    return nil
  end

  -- The rank of a policy's number, such as one found in the kernel's map; the lower is the stronger.
  function filterPolicy.rank(number)
    if not rules then return nil end
    key[0] = keyRank
    for at = 0, 3 do key[1 + at] = band(rshift(number, at * 8), 255) end
    local at, length = find(rules, key, 0, 5)
    if at and length == 4 then return uint32(rules, at) end
    return nil
  end

  filterPolicy.refresh()
  return filterPolicy
end

return verdict
