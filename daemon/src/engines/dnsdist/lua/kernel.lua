-- Adds addresses to nftables maps: synchronously, on the answering thread, in one transaction, and returns whether it succeeded.
--
-- It uses netlink directly. A library would save a hundred lines here, and be twenty times slower per answer.
local ffi = require("ffi")
local bit = require("bit")
local band, bor, bnot, rshift, bswap = bit.band, bit.bor, bit.bnot, bit.rshift, bit.bswap
local words, signedWords = ffi.typeof("uint32_t*"), ffi.typeof("int32_t*")

pcall(ffi.cdef, [[
typedef struct { uint16_t family; uint16_t pad; uint32_t pid; uint32_t groups; } portcullis_netlink;
typedef struct { long seconds; long microseconds; } portcullis_span;
typedef struct { char system[65], node[65], release[65], version[65], machine[65], domain[65]; } portcullis_names;
int socket(int domain, int type, int protocol);
int bind(int fd, const void *address, unsigned int size);
int setsockopt(int fd, int level, int option, const void *value, unsigned int size);
int close(int fd);
int uname(portcullis_names *names);
ssize_t send(int fd, const void *bytes, size_t size, int flags);
ssize_t recv(int fd, void *bytes, size_t size, int flags);
]])
local C = ffi.C

local ENOENT, EBUSY, EEXIST = 2, 16, 17
local request, ack, create = 1, 4, 0x400
local messages = { failure = 2, begin = 0x10, finish = 0x11, add = 0xA0C, get = 0xA0D, delete = 0xA0E }
local nested = 0x8000
local mostAddresses = 256
local bufferSize = 65536
-- An element that was written this recently needs no new timeout: its timeout is an hour or more.
local freshSeconds = 60
local mostRemembered = 4096

local kernel = {}

-- Before 6.12 an element that is added again keeps its old timeout. There it is replaced.
function kernel.canProlong()
  local names = ffi.new("portcullis_names")
  C.uname(names)
  local major, minor = ffi.string(names.release):match("^(%d+)%.(%d+)")
  return tonumber(major) > 6 or (tonumber(major) == 6 and tonumber(minor) >= 12)
end

-- `settings`: table, map4, map6 and canProlong, each with a default.
function kernel.open(settings)
  local tableName = settings.table or "portcullis"
  local maps = { [4] = settings.map4 or "domain4", [16] = settings.map6 or "domain6" }
  local canProlong = settings.canProlong
  if canProlong == nil then canProlong = kernel.canProlong() end

  local buffer, received = ffi.new("uint8_t[?]", bufferSize), ffi.new("uint8_t[?]", bufferSize)
  local keys = ffi.new("uint8_t[?]", mostAddresses * 16)
  local sizes, seconds = ffi.new("int[?]", mostAddresses), ffi.new("double[?]", mostAddresses)
  local count, isTooMany = 0, false
  local sequence, fd = 0, -1
  local remembered, rememberedCount = {}, 0

  local function connect()
    fd = C.socket(16, bor(3, 0x80000), 12) -- AF_NETLINK, SOCK_RAW and close-on-exec, NETLINK_NETFILTER
    if fd < 0 then return false end
    local span = ffi.new("portcullis_span", 1, 0) -- An answer waits for the kernel, but not forever.
    C.setsockopt(fd, 1, 20, span, ffi.sizeof(span))
    local here = ffi.new("portcullis_netlink")
    here.family = 16
    return C.bind(fd, here, ffi.sizeof(here)) == 0
  end

  local function disconnect()
    if fd >= 0 then C.close(fd) end
    fd = -1
  end

  local function u16(at, value) buffer[at], buffer[at + 1] = band(value, 255), rshift(value, 8) end
  local function u32(at, value)
    ffi.cast(words, buffer + at)[0] = value
  end

  -- A message begins; `close` writes its length.
  local function open(at, kind, flags, family, resource)
    sequence = sequence + 1
    u16(at + 4, kind)
    u16(at + 6, flags)
    u32(at + 8, sequence)
    u32(at + 12, 0)
    buffer[at + 16], buffer[at + 17], buffer[at + 18], buffer[at + 19] = family, 0, 0, resource
    return at + 20
  end
  local function close(from, at) u32(from, at - from) end

  local function text(at, kind, value)
    local length = #value + 1
    u16(at, 4 + length)
    u16(at + 2, kind)
    ffi.fill(buffer + at + 4, band(length + 3, bnot(3)))
    ffi.copy(buffer + at + 4, value, length - 1)
    return at + 4 + band(length + 3, bnot(3))
  end

  -- A value within its wrapping: a key is a 1 within a 1, what the map says of it a 1 within a 2.
  local function value(at, kind, length)
    u16(at, 8 + length)
    u16(at + 2, bor(kind, nested))
    u16(at + 4, 4 + length)
    u16(at + 6, 1)
    return at + 8
  end

  local function time(at, kind, milliseconds)
    u16(at, 12)
    u16(at + 2, kind)
    -- Sixty-four bits, the highest first.
    local high = math.floor(milliseconds / 4294967296)
    ffi.cast(words, buffer + at + 4)[0] = bswap(high)
    ffi.cast(words, buffer + at + 8)[0] = bswap(milliseconds - high * 4294967296)
    return at + 12
  end

  local function element(at, i, number)
    local from, size = at, sizes[i]
    at = value(at + 4, 1, size)
    ffi.copy(buffer + at, keys + i * 16, size)
    at = at + size
    if number then
      at = value(at, 2, 4)
      u32(at, number)
      at = at + 4
      at = time(at, 4, seconds[i] * 1000)
      at = time(at, 5, seconds[i] * 1000) -- With this, one that is there already gets a new time.
    end
    u16(from, at - from)
    u16(from + 2, bor(1, nested))
    return at
  end

  -- One message with one or more elements of the same size; `pick` answers the number for the i-th, or nil to leave it out.
  local function elements(at, kind, flags, size, pick)
    local from = at
    at = open(at, kind, flags, 1, 0) -- The family inet.
    at = text(at, 1, tableName)
    at = text(at, 2, maps[size])
    local list = at
    at = at + 4
    local hasAny = false
    for i = 0, count - 1 do
      local number = sizes[i] == size and pick(i)
      if number then
        at = element(at, i, kind == messages.add and number or nil)
        hasAny = true
      end
    end
    if not hasAny then
      sequence = sequence - 1
      return from
    end
    u16(list, at - list)
    u16(list + 2, bor(3, nested))
    close(from, at)
    return at
  end

  -- Receives until everything from `first` to the last message was acknowledged. Returns the first error, 0 if there is none.
  -- `onElement` gets the elements that the kernel returns.
  local function hear(first, last, expected, onElement)
    local failure, acknowledged = 0, 0
    while acknowledged < expected do
      local size = tonumber(C.recv(fd, received, bufferSize, 0))
      if size < 0 then
        disconnect() -- Answers that come too late would be taken for those to something else.
        return -1
      end
      local at = 0
      while at + 20 <= size do
        local head = ffi.cast(words, received + at)
        local length, kind, number = head[0], received[at + 4] + received[at + 5] * 256, head[2]
        if length < 16 then break end
        if number >= first and number <= last then
          if kind == messages.failure then
            local code = -ffi.cast(signedWords, received + at + 16)[0]
            if code ~= 0 and failure == 0 then failure = code end
            -- What is said of the beginning is said of all.
            if number == first and code ~= 0 then return failure end
            acknowledged = acknowledged + 1
          elseif onElement and kind == messages.add then
            onElement(at + 20, math.min(at + length, size))
          end
        end
        at = at + band(length + 3, bnot(3))
      end
    end
    return failure
  end

  -- Sends one transaction. `fill` appends its messages and answers where they end and how many there are.
  local function transact(fill)
    if fd < 0 and not connect() then
      disconnect()
      return -1
    end
    local at = open(0, messages.begin, request, 0, 10)
    local first = sequence
    close(0, at)
    local ending, expected = fill(at)
    if expected == 0 then return 0 end
    at = open(ending, messages.finish, request, 0, 10)
    close(ending, at)
    if C.send(fd, buffer, at, 0) < 0 then
      disconnect()
      return -1
    end
    return hear(first, sequence, expected)
  end

  -- The path of nearly every answer. It creates no closure, because such code is never compiled.
  local givenNumber
  local function pickGiven() return givenNumber end
  local function fillGiven(at)
    local middle = elements(at, messages.add, request + ack + create, 4, pickGiven)
    local ending = elements(middle, messages.add, request + ack + create, 16, pickGiven)
    return ending, (middle > at and 1 or 0) + (ending > middle and 1 or 0)
  end
  local function addAll(number)
    givenNumber = number
    return transact(fillGiven)
  end

  -- Walks attributes for what the map says of a key: an element within the list of elements, and its data within that.
  local function dataIn(at, ending, path, depth)
    while at + 4 <= ending do
      local length = received[at] + received[at + 1] * 256
      local kind = band(received[at + 2] + received[at + 3] * 256, 0x3fff)
      if length < 4 or at + length > ending then return nil end
      if kind == path[depth] then
        if depth == #path then return ffi.cast("uint32_t*", received + at + 4)[0] end
        local found = dataIn(at + 4, at + length, path, depth + 1)
        if found then return found end
      end
      at = at + band(length + 3, bnot(3))
    end
    return nil
  end
  local pathOfData = { 3, 1, 2, 1 }

  -- The current number of the i-th address. false: there is none; nil: unknown.
  local function standing(i)
    if fd < 0 and not connect() then return nil end
    local at = elements(0, messages.get, request + ack, sizes[i], function(j) return j == i and 0 or nil end)
    if C.send(fd, buffer, at, 0) < 0 then return nil end
    local found
    local failure = hear(sequence, sequence, 1, function(from, ending)
      found = found or dataIn(from, ending, pathOfData, 1)
    end)
    if found then return found end
    if failure == ENOENT then return false end
    return nil
  end

  -- Each address separately: it belongs to the policy of the lower rank, and gets a new timeout in both cases.
  local function settle(number, rank, rankOf)
    local before, winners = {}, {}
    for i = 0, count - 1 do
      local now = standing(i)
      if now == nil then return -1 end
      before[i] = now ~= false
      winners[i] = number
      -- A number without a rank belongs to a removed policy.
      if now and now ~= number and (rankOf(now) or math.huge) <= rank then winners[i] = now end
    end
    return transact(function(at)
      local expected = 0
      local function append(kind, flags, pick)
        for _, size in ipairs({ 4, 16 }) do
          local ending = elements(at, kind, flags, size, pick)
          if ending > at then expected = expected + 1 end
          at = ending
        end
      end
      append(messages.delete, request + ack, function(i) return before[i] and 0 or nil end)
      append(messages.add, request + ack + create, function(i) return winners[i] end)
      return at, expected
    end)
  end

  -- Whether all of them were written by us a short while ago. What is remembered spares a new time, never the entry itself.
  local function areFresh(number)
    local now = os.time()
    for i = 0, count - 1 do
      local at = remembered[number .. ffi.string(keys + i * 16, sizes[i])]
      if not at or now - at > freshSeconds or now < at then return false end
    end
    return true
  end
  local function remember(number)
    if rememberedCount > mostRemembered then remembered, rememberedCount = {}, 0 end
    local now = os.time()
    for i = 0, count - 1 do
      remembered[number .. ffi.string(keys + i * 16, sizes[i])] = now
      rememberedCount = rememberedCount + 1
    end
  end

  local writer = {}

  function writer.begin() count, isTooMany = 0, false end

  function writer.add(address, size, lifetime)
    for i = 0, count - 1 do
      if sizes[i] == size and ffi.string(keys + i * 16, size) == ffi.string(address, size) then
        seconds[i] = math.max(seconds[i], lifetime)
        return
      end
    end
    if count == mostAddresses then
      isTooMany = true
      return
    end
    ffi.copy(keys + count * 16, address, size)
    sizes[count], seconds[count] = size, lifetime
    count = count + 1
  end

  -- Whether every added address is in its map now. `rankOf` returns the rank of another number.
  function writer.commit(number, rank, rankOf)
    if isTooMany then return false end
    if count == 0 then return true end
    local failure = addAll(number)
    if failure == 0 and (canProlong or areFresh(number)) then return true end
    if failure ~= 0 and failure ~= EEXIST and failure ~= EBUSY then return false end
    for _ = 1, 3 do -- Another thread may write, or an entry run out, between the look and the change.
      failure = settle(number, rank, rankOf)
      if failure == 0 then
        remember(number)
        return true
      end
      if failure ~= ENOENT and failure ~= EEXIST and failure ~= EBUSY then return false end
    end
    return false
  end

  return writer
end

return kernel
