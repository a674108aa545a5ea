// The service worker: shows messages about alerts while no page is open.
self.addEventListener("push", (event) => {
  const { title, body, id, severity } = event.data.json();
  // A later message about the same alert replaces the earlier one.
  const options = { body, tag: id, renotify: true, requireInteraction: severity === "critical", icon: "/gate.svg" };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow("/alerts"));
});
