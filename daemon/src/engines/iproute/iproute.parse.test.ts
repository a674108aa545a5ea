import { expect, test } from "vitest";
import { ruleLine } from "./iproute.diff.ts";
import { parseRules } from "./iproute.parse.ts";

/** `ip -j rule`, recorded after these rules had been added. */
const recorded = `[
{"priority":0,"src":"all","table":"local"},
{"priority":7000,"src":"all","fwmark":"0","fwmask":"0x80000000","goto":7900},
{"priority":7101,"src":"all","fwmark":"0x80000001","fwmask":"0x800000ff","table":"7001"},
{"priority":7900,"src":"all","table":"7900"},
{"priority":7949,"src":"all","uid_start":1900017000,"uid_end":1900017000,"sport":17000,"action":"prohibit"},
{"priority":7955,"src":"all","iif":"lo","ipproto":"icmp","dport_start":768,"dport_end":1023,"action":"prohibit"},
{"priority":7960,"src":"10.64.0.2","table":"7002"},
{"priority":7999,"src":"all","iif":"lan0","iif_detached":null,"action":"prohibit"},
{"priority":32766,"src":"all","table":"main"}]`;

test("routing rules: every match of a listed rule is parsed, so that the rule is printed as it was added", () =>
  expect(parseRules(recorded, 4).map(ruleLine)).toEqual([
    "priority 7000 from all fwmark 0x0/0x80000000 goto 7900",
    "priority 7101 from all fwmark 0x80000001/0x800000ff lookup 7001",
    "priority 7900 from all lookup 7900",
    "priority 7949 from all uidrange 1900017000-1900017000 sport 17000 prohibit",
    "priority 7955 from all iif lo ipproto 1 dport 768-1023 prohibit",
    "priority 7960 from 10.64.0.2 lookup 7002",
    "priority 7999 from all iif lan0 prohibit",
  ]));
