-- Prints, for each kind of name, nanoseconds of CPU time and bytes of garbage per query:
-- luajit verdicts.lua SCRIPTS FOLDER
local ffi = require("ffi")
local bit = require("bit")
package.path = arg[1] .. "/?.lua;" .. package.path
local policy = require("verdict").open(arg[2])
assert(policy.refresh())
local queries, warmUps, rounds = 20000, 3, 10

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
  for index = 1, queries do
    local client = index % 1000 + 1
    addresses[index] = ffi.new("uint8_t[4]", { 10, 77, bit.rshift(client, 8), bit.band(client, 255) })
    wires[index], lengths[index] = wireOf(nameOf(index, client))
  end
  local others = 0
  local function run(times)
    for _ = 1, times do
      for index = 1, queries do
        policy.refresh()
        local record = policy.client(addresses[index], 4)
        policy.route(wires[index], lengths[index])
        if policy.verdict(record, wires[index], lengths[index]) ~= kindWanted then others = others + 1 end
      end
    end
  end
  run(warmUps)
  collectgarbage()
  collectgarbage("stop")
  local before, started = collectgarbage("count"), os.clock()
  run(rounds)
  local spent, left = os.clock() - started, collectgarbage("count") - before
  collectgarbage("restart")
  assert(others == 0, title)
  print(string.format("%s\t%.0f\t%.2f", title, spent * 1e9 / (rounds * queries), left * 1024 / (rounds * queries)))
end

measure("name in a rule of the client", 2, function(index, client) return ("c%d-r%d.own.test"):format(client, index % 20) end)
measure("name in a list", 2, function(index)
  local number = index * 37 % 1000000
  return ("host%d.example%d.com"):format(number, number % 1000)
end)
measure("name in no rule and no list", 0, function(index) return ("www.site%d.org"):format(index) end)
