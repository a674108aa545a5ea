-- Names that are rewritten to another name. dnsdist can answer with a CNAME, but most clients expect the addresses
-- along with it, so they are queried from our resolver.
--
-- An answering thread must not block: it waits once for each such name, briefly. After that, queries get no answer
-- until the addresses arrive; clients treat that as packet loss and retry.
local ffi = require("ffi")
local bit = require("bit")
local wire = require("wire")

pcall(ffi.cdef, [[
typedef struct { uint16_t family; uint8_t port[2]; uint8_t address[4]; uint8_t pad[8]; } portcullis_ipv4;
typedef struct { int fd; short events; short happened; } portcullis_poll;
int socket(int domain, int type, int protocol);
int connect(int fd, const void *address, unsigned int size);
int poll(portcullis_poll *fds, unsigned long count, int milliseconds);
ssize_t send(int fd, const void *bytes, size_t size, int flags);
ssize_t recv(int fd, void *bytes, size_t size, int flags);
]])
local C = ffi.C

local A, CNAME, AAAA = 1, 5, 28
local waitMs = 30
local retrySec, maxTtlSec, failureSec = 1, 300, 1
local maxNames = 1024
local maxSize = 512
local doNotWait = 0x40

local alias = {}

function alias.open(port)
  local known, knownCount, pending = {}, 0, {}
  local query, reply = ffi.new("uint8_t[320]"), ffi.new("uint8_t[4096]")
  local name = ffi.new("uint8_t[256]")
  local waiting = ffi.new("portcullis_poll[1]")
  local fd, number = -1, os.time() % 65536

  local function connect()
    fd = C.socket(2, bit.bor(2, 0x80000), 0)
    local there = ffi.new("portcullis_ipv4", 2, { bit.rshift(port, 8), bit.band(port, 255) }, { 127, 0, 0, 1 })
    return fd >= 0 and C.connect(fd, there, 16) == 0
  end

  local function sendQuery(kind, target, size)
    number = (number + 1) % 65536
    ffi.fill(query, 12)
    query[0], query[1], query[2], query[5] = bit.rshift(number, 8), bit.band(number, 255), 1, 1
    ffi.copy(query + 12, target, size)
    ffi.fill(query + 12 + size, 4)
    query[12 + size + 1], query[12 + size + 3] = kind, 1
    return C.send(fd, query, 16 + size, 0) > 0
  end

  local function store(key, records, seconds)
    if knownCount > maxNames then known, knownCount, pending = {}, 0, {} end
    if not known[key] then knownCount = knownCount + 1 end
    known[key] = { records = records, untilSec = os.time() + math.min(seconds, maxTtlSec) }
    pending[key] = nil
  end

  -- Reads all received answers.
  local function receive()
    while true do
      local size = tonumber(C.recv(fd, reply, 4096, doNotWait))
      if size < 12 then return end
      local at, count = wire.answers(reply, size)
      local length = at and wire.expand(reply, size, 12, name)
      if length then
        local kind, result = reply[at - 3], bit.band(reply[3], 15)
        local key = kind .. ":" .. ffi.string(name, length)
        local records, least = {}, maxTtlSec
        for _ = 1, count do
          local found, seconds, data, dataSize = wire.record(reply, size, at)
          if not found then break end
          if found == kind then
            records[#records + 1] = ffi.string(reply + data, dataSize)
            least = math.min(least, seconds)
          end
          at = data + dataSize
        end
        -- Only answers to our own queries are cached.
        if pending[key] then store(key, result ~= 2 and records or nil, result == 2 and failureSec or math.max(least, 1)) end
      end
    end
  end

  local function lookUp(kind, target, size)
    if fd < 0 and not connect() then return nil end
    local key, now = kind .. ":" .. ffi.string(target, size), os.time()
    receive()
    local it = known[key]
    if it and it.untilSec > now then return it end
    if pending[key] and now - pending[key] < retrySec then return nil end
    pending[key] = now
    if not sendQuery(kind, target, size) then return nil end
    waiting[0].fd, waiting[0].events = fd, 1
    C.poll(waiting, 1, waitMs)
    receive()
    it = known[key]
    return it and it.untilSec > now and it or nil
  end

  local function put16(packet, at, value)
    packet[at], packet[at + 1] = bit.rshift(value, 8), bit.band(value, 255)
    return at + 2
  end

  -- The header of a record: its owner, as the offset of that name in the packet, and the length of its data.
  local function record(packet, at, owner, kind, seconds, size)
    at = put16(packet, at, bit.bor(0xc000, owner))
    at = put16(packet, at, kind)
    at = put16(packet, at, 1)
    at = put16(packet, at, 0)
    at = put16(packet, at, seconds)
    return put16(packet, at, size)
  end

  local self = {}

  function self.answer(dq, kind, target, size)
    local records, seconds = {}, 60
    if kind == A or kind == AAAA then
      local it = lookUp(kind, target, size)
      if not it then return DNSAction.Drop end
      if not it.records then return DNSAction.None end
      records, seconds = it.records, it.untilSec - os.time()
    end
    local packet = ffi.cast("uint8_t*", C.dnsdist_ffi_dnsquestion_get_header(dq))
    local ending = wire.skip(packet, tonumber(C.dnsdist_ffi_dnsquestion_get_len(dq)), 12)
    if not ending then return DNSAction.Drop end
    local at = ending + 4
    local each = 12 + (kind == A and 4 or 16)
    local count = math.min(#records, math.floor((maxSize - at - 12 - size) / each))
    if count < 0 then return DNSAction.None end
    C.dnsdist_ffi_dnsquestion_set_size(dq, at + 12 + size + count * each)
    packet = ffi.cast("uint8_t*", C.dnsdist_ffi_dnsquestion_get_header(dq)) -- It may have moved.
    packet[2] = bit.bor(bit.band(packet[2], 0x79), 0x80)
    packet[3] = 0x80
    put16(packet, 6, 1 + count)
    ffi.fill(packet + 8, 4)
    at = record(packet, at, 12, CNAME, seconds, size)
    local owner = at
    ffi.copy(packet + at, target, size)
    at = at + size
    for i = 1, count do
      at = record(packet, at, owner, kind, seconds, #records[i])
      ffi.copy(packet + at, records[i], #records[i])
      at = at + #records[i]
    end
    return DNSAction.HeaderModify
  end

  return self
end

return alias
