import fc from "fast-check";
import { expect, test } from "vitest";
import { Problem } from "@portcullis/contract/problem";
import { announceSeed } from "../../../testing/seed.ts";
import { idNamed, match, nameKey, requireNamed, requireReference, searchedIn } from "./lookup.ts";

announceSeed("lookup");

const uuid = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`;
const kim = { id: uuid(1), name: "Kim", mac: "02:00:00:00:00:01" };
const otherKim = { id: uuid(2), name: "Kim", mac: "02:00:00:00:00:02" };
const tv = { id: uuid(3), name: "Garden shed TV", mac: null };
const disguised = { id: uuid(4), name: uuid(3) };

/** What was thrown. */
function refusalOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("Nothing was refused");
}

test("lookup: a word is an id first and a name second", () => {
  const searched = searchedIn([kim, tv, disguised]);
  expect(match(searched, kim.id)).toEqual({ kind: "one", resource: kim });
  expect(match(searched, kim.id.toUpperCase())).toEqual({ kind: "one", resource: kim });
  expect(match(searched, "Kim")).toEqual({ kind: "one", resource: kim });
});

test("lookup: a name that looks like an id is not taken for one, even when that id is gone", () => {
  expect(match(searchedIn([tv, disguised]), tv.id)).toEqual({ kind: "one", resource: tv });
  expect(match(searchedIn([disguised]), tv.id)).toEqual({ kind: "none" });
});

test("lookup: case, spaces, Unicode forms and invisible characters make no difference, unless an exact name does", () => {
  const searched = searchedIn([tv, { id: uuid(5), name: "Küche" }]);
  for (const word of ["garden shed tv", " Garden  shed TV ", "GARDEN\u00a0SHED TV", "Garden shed\u200b TV"])
    expect([word, match(searched, word)]).toEqual([word, { kind: "one", resource: tv }]);
  expect(match(searched, "Ku\u0308che")).toMatchObject({ kind: "one", resource: { id: uuid(5) } });

  const lower = { id: uuid(6), name: "kim" };
  expect(match(searchedIn([kim, lower]), "kim")).toEqual({ kind: "one", resource: lower });
  expect(match(searchedIn([kim, lower]), "KIM")).toMatchObject({ kind: "several" });
});

test("lookup: the key of a name is the key of its key, and knows no case", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      expect(nameKey(` ${name} `)).toBe(nameKey(name));
      expect(nameKey(name.normalize("NFD"))).toBe(nameKey(name.normalize("NFC")));
    }),
  );
});

test("lookup: an ambiguous name is refused with the distinguishing fields of the candidates", () => {
  const searched = searchedIn([kim, otherKim, tv]);
  const inPath = refusalOf(() => requireNamed(searched, "device", "Kim"));
  expect([inPath.code, inPath.details]).toEqual(["conflict", { name: "Kim", candidates: [kim, otherKim] }]);
  const inBody = refusalOf(() => requireReference(searched, "body.device_id", "Kim"));
  expect(inBody.code).toBe("invalid_request");
  for (const { message } of [inPath, inBody])
    for (const fact of [kim.id, kim.mac, otherKim.id, otherKim.mac]) expect(message).toContain(fact);
  expect(requireNamed(searched, "device", kim.id)).toBe(kim);
});

test("lookup: a name that nothing has is repeated, with the closest one", () => {
  const searched = searchedIn([kim, tv]);
  const inPath = refusalOf(() => requireNamed(searched, "device", "Kimm"));
  expect([inPath.code, inPath.message, inPath.details]).toEqual([
    "not_found",
    'No device has the name "Kimm"; did you mean "Kim"?',
    { id: "Kimm", did_you_mean: "Kim" },
  ]);
  const inBody = refusalOf(() => requireReference(searched, "body.device_id", "Kimm"));
  expect(inBody.message).toBe(
    'body.device_id: does not exist: "Kimm"; did you mean "Kim"?; there are: Kim, Garden shed TV',
  );
  expect(refusalOf(() => requireReference(searchedIn([]), "body.device_id", "Kimm")).message).toContain(
    "there are none yet",
  );
});

test("lookup: a path and a query keep an id as it is, and are refused differently for a name that nothing has", () => {
  const searched = searchedIn([kim]);
  const inPath = { in: "path", field: "id" } as const;
  const inQuery = { in: "query", field: "device_id" } as const;
  for (const place of [inPath, inQuery]) {
    expect(idNamed(searched, "device", uuid(9), place)).toBe(uuid(9));
    expect(idNamed(searched, "device", "kim", place)).toBe(kim.id);
  }
  expect(refusalOf(() => idNamed(searched, "device", "TV", inPath)).code).toBe("not_found");
  expect(refusalOf(() => idNamed(searched, "device", "TV", inQuery))).toMatchObject({
    code: "invalid_request",
    details: { fields: [{ field: "query.device_id" }] },
  });
});
