import { expect, test } from "vitest";
import { parseCached, parseStatistics } from "./dnsdist.parse.ts";

test("dnsdist statistics: the number of queries is read by column, whatever the server's name", () => {
  const table = `#   Name                 Address                       State     Qps    Qlim Ord Wt    Queries   Drops Drate   Lat Outstanding Pools
0   a name that is long  127.0.0.1:29998                down     0.0       0   1  1          0       0   0.0   0.0           0 
1   y 7                  127.0.0.1:29996                  up     0.0       0   1  1    1234567       8   0.0   0.0           0 a b
All                                                              0.0                         0       0                         
`;
  const server = { isLeaving: false, isUp: true, latencyMs: 1.5, drops: 0, outstanding: 0 };
  const json = {
    servers: [
      { name: "a", ...server },
      { name: "y 7", ...server },
    ],
    cache: { entries: 1, hits: 2, misses: 3 },
  };
  const parsed = parseStatistics(`${JSON.stringify(json)}\n`, table);
  expect(parsed.servers.map(({ queries }) => queries)).toEqual([0, 1_234_567]);
  expect(parsed.cache).toEqual({ entries: 1, hits: 2, misses: 3 });
});

test("the cache is read as versions 1.7, 1.9 and 2.1 write it, and lines that say something else are left out", () => {
  const lines = [
    "www.site.example. 59 A ; rcode 0, key 1, length 50, received over UDP 1, added 1",
    "six.example. 58 IN AAAA ; ecs empty, rcode 3, key 2, length 50, received over UDP 1, added 1, dnssecOK 0, raw query flags 8193",
    "; a comment",
  ];
  expect(parseCached(JSON.stringify({ count: 7, lines }))).toEqual({
    count: 7,
    entries: [
      { name: "www.site.example", type: "A", ttlSec: 59, rcode: 0 },
      { name: "six.example", type: "AAAA", ttlSec: 58, rcode: 3 },
    ],
  });
});
