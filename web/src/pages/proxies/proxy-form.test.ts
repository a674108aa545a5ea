import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { bodyOf, fieldsOf } from "./proxy-form.ts";

const local: Proxy = {
  id: "p",
  name: "Desk",
  kind: "local",
  enabled: true,
  listen: "192.168.1.1:1080",
  address: null,
  username: "me",
  has_password: true,
  tunnel_id: "t",
  status: "up",
  healthy: true,
  ...explained(because("proxy_listens")),
  connections: 0,
  tx: 0,
  rx: 0,
};

test("proxy form: unchanged fields keep their values", () => {
  expect(bodyOf(fieldsOf(local), local)).toEqual({
    listen: "192.168.1.1:1080",
    tunnel_id: "t",
    username: "me",
    enabled: true,
  });
});

test("proxy form: removing the user removes the password; a new password is sent", () => {
  expect(bodyOf({ ...fieldsOf(local), username: " " }, local)).toMatchObject({ username: null, password: null });
  expect(bodyOf({ ...fieldsOf(local), password: "new" }, local)).toMatchObject({ password: "new" });
});

test("proxy form: an upstream proxy has an address and no tunnel", () => {
  const body = bodyOf({ ...fieldsOf(undefined), kind: "upstream", name: "Jump", index: "203.0.113.9:1080" });
  expect(body).toEqual({ name: "Jump", address: "203.0.113.9:1080", username: null, enabled: true });
});
