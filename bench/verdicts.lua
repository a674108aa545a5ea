-- Prints, for each kind of name, nanoseconds of processor time and bytes of garbage per question:
-- luajit verdicts.lua SCRIPTS FOLDER
local ffi = require("ffi")
local bit = require("bit")
package.path = arg[1] .. "/?.lua;" .. package.path
local book = require("verdict").open(arg[2])
assert(book.refresh())
local questions, warmUps, rounds = 20000, 3, 10

local function wireOf(name)
  local wire, length = ffi.new("uint8_t[256]"), 0
  for label in name:gmatch("[^.]+") do
    wire[length] = #label
    ffi.copy(wire + length + 1, label, #label)
    length = length + 1 + #label
  end
  return wire, length + 1
end

local function measure(title, kindWanted, nameOf)
  local addresses, wires, lengths = {}, {}, {}
  for index = 1, questions do
    local client = index % 1000 + 1
    addresses[index] = ffi.new("uint8_t[4]", { 10, 77, bit.rshift(client, 8), bit.band(client, 255) })
    wires[index], lengths[index] = wireOf(nameOf(index, client))
  end
  local others = 0
  local function ask(times)
    for _ = 1, times do
      for index = 1, questions do
        book.refresh()
        local record = book.client(addresses[index], 4)
        book.route(wires[index], lengths[index])
        if book.verdict(record, wires[index], lengths[index]) ~= kindWanted then others = others + 1 end
      end
    end
  end
  ask(warmUps)
  collectgarbage()
  collectgarbage("stop")
  local before, started = collectgarbage("count"), os.clock()
  ask(rounds)
  local spent, left = os.clock() - started, collectgarbage("count") - before
  collectgarbage("restart")
  assert(others == 0, title)
  print(string.format("%s\t%.0f\t%.2f", title, spent * 1e9 / (rounds * questions), left * 1024 / (rounds * questions)))
end

measure("name in a rule of the client", 2, function(index, client) return ("c%d-r%d.own.test"):format(client, index % 20) end)
measure("name in a list", 2, function(index)
  local number = index * 37 % 1000000
  return ("host%d.example%d.com"):format(number, number % 1000)
end)
measure("name in no rule and no list", 0, function(index) return ("www.site%d.org"):format(index) end)
