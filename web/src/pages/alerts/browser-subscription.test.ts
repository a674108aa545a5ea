import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { obstacleIn, subscriptionFrom } from "./browser-subscription.ts";

test("a browser without a secure connection, or without push messages, is offered no subscription", () => {
  expect(obstacleIn({ isSecureContext: true, hasPush: true })).toBeUndefined();
  expect(obstacleIn({ isSecureContext: false, hasPush: false })).toBe("insecure");
  expect(obstacleIn({ isSecureContext: true, hasPush: false })).toBe("unsupported");
});

test("a subscription has the address and the keys, and nothing that the gateway refuses", () => {
  const json = {
    endpoint: "https://push.example/a",
    expirationTime: null,
    keys: { p256dh: "B", auth: "A", more: "x" },
  };
  expect(subscriptionFrom(json)).toEqual({ endpoint: "https://push.example/a", keys: { p256dh: "B", auth: "A" } });
});

test("the service worker shows a message, and a click on it opens the alerts", async () => {
  const listeners = new Map<string, (event: object) => void>();
  const shown: unknown[] = [];
  const opened: string[] = [];
  const worker = {
    addEventListener: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
    registration: { showNotification: async (...words: unknown[]) => void shown.push(words) },
    clients: { openWindow: async (path: string) => void opened.push(path) },
  };
  runInNewContext(readFileSync(resolve("web/public/push.js"), "utf8"), { self: worker });
  const waits: Promise<unknown>[] = [];
  const waitUntil = (it: Promise<unknown>) => void waits.push(it);
  const message = { title: "Critical: leak", body: "text", id: "1", severity: "critical" };
  listeners.get("push")!({ data: { json: () => message }, waitUntil });
  listeners.get("notificationclick")!({ notification: { close: () => {} }, waitUntil });
  await Promise.all(waits);
  expect(shown).toEqual([
    ["Critical: leak", expect.objectContaining({ body: "text", tag: "1", requireInteraction: true })],
  ]);
  expect(opened).toEqual(["/alerts"]);
});
