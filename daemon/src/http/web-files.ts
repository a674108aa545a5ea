import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Every file of the web interface by its path, as it is when the daemon starts. What is asked for is looked up here and
 * never made into a path, so no spelling of it leads anywhere else. Links and files with a dot are nobody's business.
 */
export function webFiles(folder: string): ReadonlySet<string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")));
  const all = new Set(paths);
  return new Set(paths.filter((path) => !compressed.test(path) || !all.has(uncompressed(path))));
}

/** The build leaves each file a second and a third time beside itself, compressed. They are the same file to whoever asks. */
const compressed = /\.(?:br|gz)$/;
const uncompressed = (path: string): string => path.replace(compressed, "");

/** What a browser is told about a file of the interface besides its content. */
export const webHeaders = (path: string) => ({
  ...pageHeaders,
  "cache-control": isForever(uncompressed(path)) ? "public, max-age=31536000, immutable" : "no-cache",
});

/** Hashes have something besides small letters in them, nearly always. A word of eight letters is taken for no hash. */
const isForever = (path: string): boolean => /^assets\/(?:.*\/)?[^/]+-(?![a-z]{8}\.)[\w-]{8}\.\w+$/.test(path);

/** Whether it is a browser's address bar that asks: scripts and programs take whatever comes, and say so. */
export const wantsPage = (accept: string | undefined): boolean =>
  (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((it) => it.trim().toLowerCase());
    return type === "text/html" && !parameters.some((it) => /^q=0(?:\.0*)?$/.test(it));
  });

/** Obeyed only where nobody can have changed what came; over plain HTTP browsers complain of it at each page instead. */
export const openerHeaders = ({ protocol, hostname }: { readonly protocol: string; readonly hostname: string }) =>
  protocol === "https" || /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(hostname)
    ? { "cross-origin-opener-policy": "same-origin" }
    : {};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
];

/** What browsers know and the interface has no use for. The camera reads a tunnel's file off a screen. */
const unused = [
  "accelerometer",
  "autoplay",
  "browsing-topics",
  "clipboard-read",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking",
];

const pageHeaders = {
  "content-security-policy": policy.join("; "),
  "permissions-policy": ["camera=(self)", ...unused.map((it) => `${it}=()`)].join(", "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
