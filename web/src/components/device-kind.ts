import type { IconName } from "../ui/icon.tsx";

/** Words in names, host names and products, in the order in which they are tried. */
const words: readonly (readonly [IconName, RegExp])[] = [
  ["tv", /\b(?:tv|television|fernseher|chromecast|roku|fire ?stick|apple ?tv|bravia|webos)\b/],
  ["camera", /\b(?:cam|camera|kamera|doorbell|klingel)\b/],
  ["printer", /\b(?:printer|drucker|laserjet|officejet|ecotank|brother)\b/],
  ["watch", /\b(?:watch|uhr|garmin)\b/],
  ["reader", /\b(?:reader|kindle|kobo|tolino)\b/],
  ["tablet", /\b(?:tablet|tab|ipad)\b/],
  ["phone", /\b(?:phone|iphone|handy|mobile|smartphone|pixel|galaxy|fairphone|android)\b/],
  ["speaker", /\b(?:speaker|lautsprecher|sonos|echo|homepod|soundbar|hifi)\b/],
  ["console", /\b(?:console|konsole|playstation|ps[45]|xbox|switch|steam ?deck)\b/],
  ["nas", /\b(?:nas|server|synology|qnap|diskstation|backup)\b/],
  ["lamp", /\b(?:lamp|lampe|light|licht|hue|bulb|signify)\b/],
  ["laptop", /\b(?:laptop|notebook|macbook|thinkpad|framework)\b/],
  ["desktop", /\b(?:desktop|pc|workstation|imac|computer|rechner|tower)\b/],
];

interface Named {
  readonly name: string;
  readonly hostname?: string | null;
  readonly vendor?: string | null;
}

/** A drawing that helps to find a device in a list: guessed from words of its name. Nothing depends on it. */
export function iconOf({ name, hostname, vendor }: Named): IconName {
  for (const text of [name, hostname, vendor]) {
    const searched = text?.toLowerCase().replaceAll(/[-_.]/g, " ");
    const found = searched && words.find(([, pattern]) => pattern.test(searched));
    if (found) return found[0];
  }
  return "devices";
}
