-- Runs queries through the Lua modules of dnsdist: luajit dns-queries.lua SCRIPTS FOLDER [one-by-one]
-- For each input line "address wire" in hexadecimal it prints: kind, number, whether a list decided,
-- answers of a rewrite, route, its rank, its number's rank, log.
local ffi = require("ffi")
local scripts, folder = arg[1], arg[2]
if arg[3] == "one-by-one" then io.stdout:setvbuf("line") end
package.path = scripts .. "/?.lua;" .. package.path
local policy = require("verdict").open(folder)
local recall = require("verdict-cache").open(policy)

local function bytesOf(hex)
  local length = #hex / 2
  local bytes = ffi.new("uint8_t[?]", length + 1)
  for at = 0, length - 1 do bytes[at] = tonumber(hex:sub(at * 2 + 1, at * 2 + 2), 16) end
  return bytes, length
end

local function hexOf(bytes)
  local length = 1 + bytes[0] * 4
  length = length + 1 + bytes[length] * 16
  length = length + 1 + bytes[length]
  local hex = {}
  for at = 0, length - 1 do hex[at + 1] = string.format("%02x", bytes[at]) end
  return table.concat(hex)
end

for line in io.lines() do
  local address, wire = line:match("^(%x*) (%x*)$")
  local addressBytes, addressLength = bytesOf(address)
  local wireBytes, wireLength = bytesOf(wire)
  if policy.refresh() then
    local record = policy.client(addressBytes, addressLength)
    -- Through the verdict cache, as dnsdist does.
    local it = recall(record, wireBytes, wireLength) or { kind = 0 }
    local route, rank = policy.route(wireBytes, wireLength)
    assert(it.policy == (route and route .. ":" .. rank or nil))
    print(string.format("%d %d %s %s %s %s %s %d", it.kind, (it.by or "0"):match("^%d+"), tostring(it.label == "l"),
      it.kind == 3 and hexOf(it.action) or "-", tostring(route), tostring(rank), tostring(route and policy.rank(route)), record.log))
  else
    print("not ready")
  end
end
