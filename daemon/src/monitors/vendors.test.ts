import { expect, test } from "vitest";
import { readVendors } from "./vendors.ts";

const head = "Registry,Assignment,Organization Name,Organization Address\r\n";
const files: Readonly<Record<string, string>> = {
  "oui.csv": `${head}MA-L,B827EB,Raspberry Pi Foundation,Mitchell Wood House Caldecote GB CB23 7NU \r
MA-L,002272,"American ""Micro""-Fuel, Inc.","2181 Buchanan Loop
Ferndale US"\r
MA-L,70B3D5,IEEE Registration Authority,445 Hoes Lane Piscataway NJ US 08554 \r
MA-L,001122,Private,\r
MA-L,741AE0,IEEE Registration Authority,445 Hoes Lane\r\n`,
  "mam.csv": `${head}MA-M,741AE09,"Kitchen   Things, Ltd",Street 1\r\n`,
  "oui36.csv": `${head}MA-S,70B3D5719,2M Technology,Street 2\r\n`,
};
const system = (names: readonly string[]) => ({
  readText: (path: string) => files[names.find((it) => path === `/usr/share/ieee-data/${it}`) ?? ""],
});

test("vendors: the longest registered prefix decides", () => {
  const vendors = readVendors(system(Object.keys(files)))!;
  expect(vendors.of("b8:27:eb:01:02:03")).toBe("Raspberry Pi Foundation");
  expect(vendors.of("00:22:72:ff:ff:ff")).toBe('American "Micro"-Fuel, Inc.');
  expect(vendors.of("74:1a:e0:90:00:01")).toBe("Kitchen Things, Ltd");
  expect(vendors.of("70:b3:d5:71:90:01")).toBe("2M Technology");
});

test("vendors: a part that is free, an organisation that is not public and an unknown prefix have no vendor", () => {
  const vendors = readVendors(system(Object.keys(files)))!;
  for (const mac of ["74:1a:e0:80:00:01", "70:b3:d5:71:80:01", "00:11:22:00:00:00", "00:00:00:00:00:00"])
    expect(vendors.of(mac)).toBeNull();
});

test("vendors: one list of several is enough, and without any there is no registry", () => {
  expect(readVendors(system(["oui.csv"]))!.of("b8:27:eb:01:02:03")).toBe("Raspberry Pi Foundation");
  expect(readVendors(system([]))).toBeUndefined();
});
