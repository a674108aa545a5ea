/** Why this browser cannot receive messages. */
export type Obstacle = "insecure" | "unsupported" | "denied";

interface BrowserFeatures {
  readonly isSecureContext: boolean;
  readonly hasPush: boolean;
}

export const obstacleIn = ({ isSecureContext, hasPush }: BrowserFeatures): Obstacle | undefined =>
  isSecureContext ? (hasPush ? undefined : "unsupported") : "insecure";

export const thisBrowser = (): BrowserFeatures => ({
  isSecureContext: window.isSecureContext,
  hasPush: "serviceWorker" in navigator && "PushManager" in window && "Notification" in window,
});

/** What the gateway needs to send messages to this browser. */
export async function subscribe(publicKey: string) {
  if ((await Notification.requestPermission()) !== "granted") return "denied" as const;
  await navigator.serviceWorker.register("/push.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  // One that was made with another key cannot be used and prevents a new one.
  const subscription = await pushManager.subscribe(options).catch(async (error: unknown) => {
    const existing = await pushManager.getSubscription();
    if (!existing) throw error;
    await existing.unsubscribe();
    return pushManager.subscribe(options);
  });
  return subscriptionFrom(subscription.toJSON());
}

/** Without the fields that the gateway does not use. */
export function subscriptionFrom({ endpoint = "", keys: { p256dh = "", auth = "" } = {} }: PushSubscriptionJSON) {
  return { endpoint, keys: { p256dh, auth } };
}
