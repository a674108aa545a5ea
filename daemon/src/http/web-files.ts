import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * The paths of all files of the web interface when the daemon starts. Requests are looked up in this set and never
 * converted to a path, which excludes path traversal. Links and dot files are not served.
 */
export function webFiles(folder: string): ReadonlySet<string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")));
  const all = new Set(paths);
  return new Set(paths.filter((path) => !compressed.test(path) || !all.has(uncompressed(path))));
}

/** The build adds two compressed variants of each file. They are not files of their own. */
const compressed = /\.(?:br|gz)$/;
const uncompressed = (path: string): string => path.replace(compressed, "");

/** The response headers of a file of the interface. */
export const webHeaders = (path: string) => ({
  ...pageHeaders,
  "cache-control": isForever(uncompressed(path)) ? "public, max-age=31536000, immutable" : "no-cache",
});

/** A hash nearly always contains more than lower-case letters; eight lower-case letters are not treated as a hash. */
const isForever = (path: string): boolean => /^assets\/(?:.*\/)?[^/]+-(?![a-z]{8}\.)[\w-]{8}\.\w+$/.test(path);

/** Whether a browser navigates: scripts and programs do not accept text/html explicitly. */
export const wantsPage = (accept: string | undefined): boolean =>
  (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((it) => it.trim().toLowerCase());
    return type === "text/html" && !parameters.some((it) => /^q=0(?:\.0*)?$/.test(it));
  });

/** Browsers obey it in secure contexts only; over plain HTTP they log a warning for each page instead. */
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

/** Browser features that the interface does not use. It uses the camera, to scan a tunnel configuration. */
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
