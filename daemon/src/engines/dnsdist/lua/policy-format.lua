-- The parts of the filter policy file: actions, automata and Bloom filters. Each is validated before use.
local ffi = require("ffi")
local bit = require("bit")
local cdb = require("cdb")
local band, bxor, lshift, rshift = bit.band, bit.bxor, bit.lshift, bit.rshift

local letterAllow, letterBlock, letterRewrite = 65, 78, 82
local maxLabelBytes = 63

local format = { letterAllow = letterAllow, letterBlock = letterBlock }

-- The end of a rewrite action, from the letter at `at` on; nil if it is not before `stop`.
local function rewriteEnd(bytes, at, stop)
  local here = at + 5
  for size = 4, 16, 12 do
    if here >= stop then return nil end
    here = here + 1 + bytes[here] * size
  end
  if here >= stop then return nil end
  local target = bytes[here]
  here = here + 1
  local targetEnd = here + target
  if targetEnd > stop then return nil end
  if target == 0 then return here end
  while here < targetEnd and bytes[here] ~= 0 do
    if bytes[here] > maxLabelBytes then return nil end
    here = here + 1 + bytes[here]
  end
  if here + 1 ~= targetEnd then return nil end
  return targetEnd
end

-- Where an action ends, or nothing if it is none.
function format.actionEnd(bytes, at, stop)
  if at + 5 > stop then return nil end
  local letter = bytes[at]
  if letter == letterAllow or letter == letterBlock then return at + 5 end
  if letter == letterRewrite then return rewriteEnd(bytes, at, stop) end
  return nil
end

function format.isStronger(letter, other)
  if letter == other then return false end
  return letter == letterAllow or (letter == letterRewrite and other == letterBlock)
end

-- One automaton from its action to its end, or nothing if any step of it could lead outside.
local function readRegex(file, at, stop)
  local bytes = file.bytes
  local here = format.actionEnd(bytes, at, stop)
  if not here or here + 3 + 256 > stop then return nil end
  local states, classes = bytes[here] + bytes[here + 1] * 256, bytes[here + 2]
  local classOf = bytes + (here + 3)
  local accepting = classOf + 256
  local steps = states * classes
  if states == 0 or here + 259 + states + steps * 2 > stop then return nil end
  local following = ffi.cast("const uint16_t *", accepting + states)
  for byte = 0, 255 do if classOf[byte] >= classes then return nil end end
  for step = 0, steps - 1 do if following[step] >= states then return nil end end
  return { at = at, classes = classes, classOf = classOf, accepting = accepting, following = following }
end

-- All regular expressions of a layer, in their order, as far as they are whole.
function format.regexes(file, at, length)
  local regexes = {}
  if length < 2 then return regexes end
  local stop = at + length
  local here = at + 2
  for _ = 1, file.bytes[at] + file.bytes[at + 1] * 256 do
    if here + 4 > stop then break end
    local size = cdb.uint32(file, here)
    if here + 4 + size > stop then break end
    regexes[#regexes + 1] = readRegex(file, here + 4, here + 4 + size)
    here = here + 4 + size
  end
  return regexes
end

-- Two bits for every name that is there, in a number of bytes that is a power of two. Of many names that are not there it
-- says so; what is no sieve lets everything through.
local everything = { size = 0, bits = ffi.new("uint8_t[1]") }
format.everything = everything

function format.sieve(file, at, length)
  if length < 1 or band(length, length - 1) ~= 0 then return everything end
  return { size = length * 8, bits = file.bytes + at }
end

function format.lets(sieve, hash)
  local size, bits = sieve.size, sieve.bits
  if size == 0 then return true end
  local one = band(bxor(hash, rshift(hash, 15)), size - 1)
  if band(bits[rshift(one, 3)], lshift(1, band(one, 7))) == 0 then return false end
  local other = band(rshift(hash, 7), size - 1)
  return band(bits[rshift(other, 3)], lshift(1, band(other, 7))) ~= 0
end

return format
