import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Runs a script that has the modules at hand, and answers the lines it prints. */
function lua(script: string): string[] {
  const modules = join(import.meta.dirname, "lua/?.lua");
  const before = `package.path = "${modules}"; local ffi = require("ffi"); ${stubs}`;
  return execFileSync("luajit", ["-e", `${before}\n${script}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n");
}

/** Bytes of a text in hex; and a packet with one query and some records. */
const stubs = `
local function bytes(hex)
  local text = hex:gsub("%s", ""):gsub("..", function(it) return string.char(tonumber(it, 16)) end)
  local made = ffi.new("uint8_t[?]", math.max(#text, 1))
  ffi.copy(made, text, #text)
  return made, #text
end
local function hex(made, size)
  return (ffi.string(made, size):gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end
local function packet(answers, ...)
  return bytes("1234 8180 0001 " .. ("%04x"):format(answers) .. " 0000 0000 01 61 01 62 00 0001 0001" .. table.concat({ ... }))
end
local function record(kind, data)
  return ("c00c %04x 0001 0000003c %04x %s"):format(kind, #data:gsub("%s", "") / 2, data)
end
`;

test("names are read in lower case, with their pointers followed", () =>
  expect(
    lua(`local wire = require("wire"); local out = ffi.new("uint8_t[256]")
      local name, size = bytes("03 41 42 63 01 5a 00"); print(hex(out, wire.lower(name, size, out)))
      local p, n = packet(1, record(5, "03 57 57 57 c00c")); local at = wire.answers(p, n)
      local kind, seconds, data, length = wire.record(p, n, at); print(kind, seconds, length)
      print(hex(out, wire.expand(p, n, data, out)))`),
  ).toEqual(["03616263017a00", "5\t60\t6", "037777770161016200"]));

test("DNS names: pointers that loop, or lead beyond the end, are invalid", () =>
  expect(
    lua(`local wire = require("wire"); local out = ffi.new("uint8_t[256]")
      for _, it in ipairs({ "c000", "01", "3f 61", "40 61 00", "01 61", "c0", "01 61 c000" }) do
        local p, n = bytes(it); print(wire.expand(p, n, 0, out), wire.lower(p, n, out))
      end
      local long, size = bytes(("3f" .. ("61"):rep(63)):rep(4) .. "00"); print(wire.expand(long, size, 0, out), wire.lower(long, size, out))`),
  ).toEqual(Array.from({ length: 8 }, () => "nil\tnil")));

test("no packet, however broken, is read beyond its end", () =>
  expect(
    lua(`local upstream, wire = require("upstream"), require("wire"); local out = ffi.new("uint8_t[256]")
      math.randomseed(7)
      for _ = 1, 20000 do
        local size = math.random(0, 80); local p = ffi.new("uint8_t[?]", size + 1)
        for i = 0, size - 1 do p[i] = math.random(4) == 1 and 192 or math.random(0, 20) end
        p[math.min(4, size)], p[math.min(5, size)] = 0, 1
        upstream.leadsInside(p, size); wire.expand(p, size, math.min(12, size), out)
        if size > 12 then assert(wire.empty(p, size, 2) <= size) end
      end
      print("done")`),
  ).toEqual(["done"]));

test("the C library and we unpack the same names, and neither leaves anything behind that is none", () =>
  expect(
    lua(`local wire = require("wire"); local ours, theirs, lower = ffi.new("uint8_t[256]"), ffi.new("uint8_t[256]"), ffi.new("uint8_t[256]")
      math.randomseed(11)
      local same, cut = 0, 0
      for _ = 1, 50000 do
        local size = math.random(0, 60); local p = ffi.new("uint8_t[?]", size + 1)
        for i = 0, size - 1 do p[i] = math.random(5) == 1 and 192 or math.random(0, 9) end
        local at = math.random(0, 60)
        local a, b = wire.expand(p, size, at, ours), wire.unpack(p, size, at, theirs)
        if a and b then
          if wire.lower(theirs, b, lower) ~= b then cut = cut + 1
          else assert(hex(ours, a) == hex(lower, b)); same = same + 1 end
        end
      end
      print(same > 1000, cut > 20)
      local p, n = packet(1, record(5, "03 57 57 57 c00c")); print(hex(theirs, wire.unpack(p, n, 33, theirs)))
      print(wire.answersBehind(p, n, 5), wire.answersBehind(p, 11, 5), wire.answersBehind(p, n, 99))`),
  ).toEqual(["true\ttrue", "035757570161016200", "21\tnil\tnil\t1"]));

const addresses: readonly (readonly [kind: number, hex: string, isInside: boolean])[] = [
  [1, "0a000001", true],
  [1, "7f000001", true],
  [1, "00000000", true],
  [1, "a9fe0101", true],
  [1, "ac100001", true],
  [1, "ac1fffff", true],
  [1, "ac200001", false],
  [1, "c0a80001", true],
  [1, "c0a90001", false],
  [1, "08080808", false],
  [28, "fd000000000000000000000000000001", true],
  [28, "fe800000000000000000000000000001", true],
  [28, "febf0000000000000000000000000001", true],
  [28, "fec00000000000000000000000000001", false],
  [28, "00000000000000000000000000000001", true],
  [28, "00000000000000000000000000000000", true],
  [28, "00000000000000000000ffffc0a80001", true],
  [28, "00000000000000000000ffff08080808", false],
  [28, "20010db8000000000000000000000001", false],
  [65, "0001 00 0004 0004 c0a80001", true],
  [65, "0001 00 0004 0008 08080808 0a000001", true],
  [65, "0001 00 0001 0003 026832 0004 0004 08080808", false],
  [65, "0001 00 0006 0010 fd000000000000000000000000000001", true],
  [65, "0001 00 0004 0009 08080808", true],
  [16, "04 0a000001", false],
];

test.each(addresses)("an answer of type %i with %s leads inside: %s", (kind, data, isInside) =>
  expect(lua(`print(require("upstream").leadsInside(packet(1, record(${kind}, "${data}"))))`)).toEqual([
    String(isInside),
  ]),
);

test("DNS answers: a withheld answer keeps only its question section", () =>
  expect(
    lua(`local wire = require("wire"); local p, n = packet(1, record(1, "01020304"))
      local size = wire.empty(p, n, 3); print(hex(p, size))`),
  ).toEqual(["123481830001000000000000016101620000010001"]));

test("a lifetime is changed in its place, and nothing else", () =>
  expect(
    lua(`local wire = require("wire"); local p, n = packet(1, record(1, "01020304"))
      local before = hex(p, n); local at = wire.answers(p, n)
      local kind, _, data = wire.record(p, n, at); wire.setSeconds(p, data, 300)
      local _, seconds = wire.record(p, n, at); print(seconds)
      wire.setSeconds(p, data, 60); local now = hex(p, n)
      print(#now == #before, now:sub(-12) == before:sub(-12), now:sub(1, 2 * data - 12) == before:sub(1, 2 * data - 12))`),
  ).toEqual(["300", "true\ttrue\ttrue"]));

test("patterns stand for what people mean by them", () =>
  expect(
    lua(`ffi.cdef("typedef struct dnsdist_ffi_server_t dnsdist_ffi_server_t;")
      require("control")
      local m = portcullis.matches
      print(m("*", ""), m("*", "a.b"), m("a.b", "a.b"), m("a.b", "axb"), m("?.b", "x.b"), m("?.b", ".b"))
      print(m("a*b*c", "a1b2c"), m("a*b*c", "acb"), m("*.b", "a.b"), m("*.b", "b"), m("%a", "b"), m("", "a"))
      local started = os.clock(); print(m(("*a"):rep(50) .. "b", ("a"):rep(250)), os.clock() - started < 0.1)`),
  ).toEqual(["true\ttrue\ttrue\tfalse\ttrue\tfalse", "true\tfalse\ttrue\tfalse\tfalse\tfalse", "false\ttrue"]));

test("what was said of a name is remembered, for each client where it depends on that, and not without end", () =>
  expect(
    lua(`local outlined, evaluated, isRuled = 0, 0, false
      local filterPolicy = {
        revision = "",
        route = function() return 7, 3 end,
        outline = function() outlined = outlined + 1 return isRuled, 6 end,
        verdict = function(client) evaluated = evaluated + 1 return client.says, nil, 5, true end,
      }
      local verdictOf = require("verdict-cache").open(filterPolicy)
      local name, size = bytes("01 61 04 00000000 00"); size = 8
      local function client(says, lists, hasRegexes) return { age = 1, says = says, lists = lists, hasRegexes = hasRegexes } end
      local function said(it) it = verdictOf(it, name, size) return it.kind .. "/" .. it.policy .. "/" .. tostring(it.label) end
      local one, same, free, strict = client(2, 2, false), client(2, 2, false), client(9, 8, false), client(1, 8, true)
      print(said(one), said(same), said(free), said(strict), said(strict), outlined, evaluated)
      one.age, isRuled, one.says, same.age = 2, true, 1, 2
      print(said(one), said(one), said(same), outlined, evaluated)
      local function cost() collectgarbage() return collectgarbage("count") end
      local before, most = cost(), 0
      for i = 1, 100000 do
        ffi.cast("uint32_t*", name + 3)[0] = i
        verdictOf(one, name, size)
        if i % 5000 == 0 then most = math.max(most, cost() - before) end
      end
      print(outlined, evaluated, most < 8192)
      print(verdictOf(one, bytes("05 61"), 2))`),
  ).toEqual([
    "2/7:3/l\t2/7:3/l\t0/7:3/nil\t1/7:3/l\t1/7:3/l\t1\t2",
    "1/7:3/l\t1/7:3/l\t2/7:3/l\t2\t4",
    "100002\t100004\ttrue",
    "nil",
  ]));
