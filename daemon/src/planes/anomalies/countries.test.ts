import { expect, test } from "vitest";
import { readCountries } from "./countries.ts";

const v4 = `# This file has been converted from the IPFire Location database
#
15726992,15726999,??
16777216,16777471,AU
16777472,16778239,CN
3758096384,3758096639,DE
`;
const v6 = `# comment
2001::,2001:0:ffff:ffff:ffff:ffff:ffff:ffff,??
2001:200::,2001:200:134:ffff:ffff:ffff:ffff:ffff,JP
2001:200:135::,2001:200:135:ffff:ffff:ffff:ffff:ffff,US
2a00:4700::,2a00:4700:ffff:ffff:ffff:ffff:ffff:ffff,IE
`;
const read = (files: Readonly<Record<string, string>>) =>
  readCountries({ readText: (path) => files[path] }, async () => {});

test("countries: addresses of both families have the country of their range, others have none", async () => {
  const countries = await read({ "/usr/share/tor/geoip": v4, "/usr/share/tor/geoip6": v6 });
  const of = (address: string) => countries?.of(address);
  expect(["1.0.0.0", "1.0.0.255", "1.0.1.0", "224.0.0.9"].map(of)).toEqual(["AU", "AU", "CN", "DE"]);
  expect(["0.239.255.18", "9.9.9.9", "255.255.255.255", "0.0.0.1"].map(of)).toEqual([...Array(4)].map(() => undefined));
  expect(["2001:200::1", "2001:200:135:1::", "2a00:4700:12::9"].map(of)).toEqual(["JP", "US", "IE"]);
  expect(["2001::1", "fe80::1", "::1"].map(of)).toEqual([undefined, undefined, undefined]);
});

test("countries: without the lists there is no answer, and with one of them only its family", async () => {
  expect(await read({})).toBeUndefined();
  const countries = await read({ "/usr/share/tor/geoip": v4 });
  expect([countries?.of("1.0.0.1"), countries?.of("2001:200::1")]).toEqual(["AU", undefined]);
});
