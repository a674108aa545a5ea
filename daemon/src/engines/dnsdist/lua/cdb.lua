-- Searches D. J. Bernstein's constant databases where they lie: mapped, read only, one mapping for each thread, so
-- nothing is locked and nothing is copied. What a file says of itself is never believed: every offset is compared with
-- its end.
local ffi = require("ffi")
local bit = require("bit")
local C = ffi.C
local band, bor, bxor, lshift, rshift, tobit = bit.band, bit.bor, bit.bxor, bit.lshift, bit.rshift, bit.tobit

-- Another script of the same process may have declared some of these.
for _, declaration in ipairs({
  "int open(const char *path, int flags, ...);",
  "int close(int fd);",
  "long lseek(int fd, long offset, int whence);",
  "void *mmap(void *address, size_t length, int protection, int flags, int fd, long offset);",
  "int munmap(void *address, size_t length);",
}) do
  pcall(ffi.cdef, declaration)
end

local bytesType = ffi.typeof("const uint8_t *")
local headBytes = 2048
local readOnlyCloseOnExec = 0x80000
local toEnd, forReading, shared = 2, 1, 1

local cdb = {}

-- A file's bytes and how many there are; nothing if it is not there or empty.
function cdb.map(path)
  local file = C.open(path, readOnlyCloseOnExec)
  if file < 0 then return nil end
  local length = tonumber(C.lseek(file, 0, toEnd))
  local address = length > 0 and C.mmap(nil, length, forReading, shared, file, 0) or nil
  C.close(file)
  if address == nil or tonumber(ffi.cast("intptr_t", address)) == -1 then return nil end
  return ffi.cast(bytesType, address), length
end

local function hashOf(key, from, keyLength)
  local hash = 5381
  for at = from, from + keyLength - 1 do hash = bxor(tobit(lshift(hash, 5) + hash), key[at]) end
  return hash
end
cdb.hash = hashOf

-- Numbers are put together from their bytes: a pointer of another type would be made anew for each of them.
local function uint32At(bytes, at)
  return bytes[at] + bytes[at + 1] * 256 + bytes[at + 2] * 65536 + bytes[at + 3] * 16777216
end

local function int32At(bytes, at)
  return bor(bytes[at], lshift(bytes[at + 1], 8), lshift(bytes[at + 2], 16), lshift(bytes[at + 3], 24))
end

local function isKey(bytes, at, key, from, keyLength)
  local same = 0
  while same < keyLength and bytes[at + same] == key[from + same] do same = same + 1 end
  return same == keyLength
end

-- Where the value of a key is in file.bytes, and its length. The key begins at key[from]; its hash is known.
local function search(file, hash, key, from, keyLength)
  local bytes, length = file.bytes, file.length
  local head = band(hash, 255) * 8
  local tableAt, size = uint32At(bytes, head), uint32At(bytes, head + 4)
  if size == 0 or tableAt + size * 8 > length then return nil end
  local slot = rshift(hash, 8) % size
  for _ = 1, size do
    local slotAt = tableAt + slot * 8
    local at = uint32At(bytes, slotAt + 4)
    if at == 0 then return nil end
    if int32At(bytes, slotAt) == hash and at + 8 + keyLength <= length and uint32At(bytes, at) == keyLength
      and isKey(bytes, at + 8, key, from, keyLength) then
      local valueAt, valueLength = at + 8 + keyLength, uint32At(bytes, at + 4)
      if valueAt + valueLength > length then return nil end
      return valueAt, valueLength
    end
    slot = slot + 1
    if slot == size then slot = 0 end
  end
  return nil
end
cdb.search = search

function cdb.find(file, key, from, keyLength)
  return search(file, hashOf(key, from, keyLength), key, from, keyLength)
end

function cdb.uint32(file, at)
  return uint32At(file.bytes, at)
end

local versionKey = ffi.new("uint8_t[1]", 0xFF)

-- A file that is whole: all its tables are inside, the last of them to its very end, and it is of the version we know.
local function isWhole(file)
  local last = 0
  for head = 0, headBytes - 8, 8 do
    local tableAt = uint32At(file.bytes, head)
    local tableEnd = tableAt + uint32At(file.bytes, head + 4) * 8
    if tableAt < headBytes or tableEnd > file.length then return false end
    if tableEnd > last then last = tableEnd end
  end
  if last ~= file.length then return false end
  local at, length = cdb.find(file, versionKey, 0, 1)
  return at ~= nil and length == 4 and cdb.uint32(file, at) == 1
end

-- Nothing if there is no such file, or it is broken.
function cdb.open(path)
  local bytes, length = cdb.map(path)
  if not bytes then return nil end
  local file = { bytes = bytes, length = length }
  if length >= headBytes and isWhole(file) then return file end
  cdb.close(file)
  return nil
end

function cdb.close(file)
  C.munmap(ffi.cast("void *", file.bytes), file.length)
end

return cdb
