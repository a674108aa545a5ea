import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import type { Redirector } from "./redsocks.model.ts";
import { impediment, renderRedsocks } from "./redsocks.render.ts";

announceSeed("redsocks");

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);
const plain: Redirector = {
  name: "nl",
  port: 12_345,
  server: { address: "192.0.2.20", port: 1080 },
  credentials: null,
};
const withLogin = (username: string, password: string): Redirector => ({
  ...plain,
  credentials: { username, password },
});

test("a redirector", () => expect(renderRedsocks(plain)).toMatchFileSnapshot(golden("plain.conf")));

test("a redirector that says who it is", () =>
  expect(renderRedsocks(withLogin("alice", 'a"b\\c; }'))).toMatchFileSnapshot(golden("login.conf")));

test("no password can say anything but itself", () =>
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 60 }), (password) => {
      const redirector = withLogin("alice", password);
      fc.pre(impediment(redirector) === undefined);
      const [, line] = /\tpassword = "(.*)";\n\}\n$/s.exec(renderRedsocks(redirector))!;
      // As redsocks reads it: a backslash takes the next sign as it is, and only a bare quote ends the text.
      expect(line!.match(/(?:\\.|[^"\\])*/s)![0]).toBe(line);
      expect(line!.replace(/\\(.)/gs, "$1")).toBe(password);
    }),
  ));

test("what redsocks cannot do is said beforehand", () => {
  expect(impediment({ ...plain, server: { address: "2001:db8::1", port: 1080 } })).toMatchObject({
    code: "proxy_ipv4_only",
  });
  expect(impediment(withLogin("a".repeat(256), "x"))).toMatchObject({ code: "username_size" });
  expect(impediment(withLogin("ü".repeat(128), "x"))).toMatchObject({ code: "username_size" });
  expect(impediment(withLogin("alice", "a\nb"))).toMatchObject({ code: "password_unprintable" });
  expect(impediment(withLogin("alice", "a b"))).toBeUndefined();
});
