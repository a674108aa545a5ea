import type { Random } from "./anomaly-random.ts";

/** Countries of simulated destinations: country n has 20.n.0.0/16. The first ones are those of most services. */
export const countryCodes =
  "US DE IE NL GB FR SE FI PL ES IT CH AT CA JP BR AU IN SG KR CZ DK NO PT RO UA TR ZA MX CL CN RU VN IR NG".split(" ");
const frequent = 6;
const occasional = 14;

export interface Destination {
  readonly name: string | undefined;
  readonly address: string;
}

const addressIn = (random: Random, country: number): string =>
  `20.${country}.${random.whole(0, 255)}.${random.whole(1, 254)}`;

let serial = 0;

/** A service with a domain of its own. */
export function service(random: Random, label: string, country = random.whole(0, frequent - 1)): Destination {
  serial += 1;
  return { name: `${label}.s${serial}${random.text("abcdefghij", 4)}.example`, address: addressIn(random, country) };
}

/** A page that a browser visits. Some are in countries that are visited rarely. */
export function page(random: Random): Destination {
  const country = random.chance(0.97)
    ? random.whole(0, frequent - 1)
    : random.chance(0.92)
      ? random.whole(frequent, occasional - 1)
      : random.whole(occasional, countryCodes.length - 6);
  return service(random, "www", country);
}

/** A peer of a call or of a game: an address without a name. */
export const peer = (random: Random): Destination => ({
  name: undefined,
  address: addressIn(random, random.whole(0, frequent - 1)),
});

/** In a country that no normal traffic leads to. */
export const remote = (random: Random): Destination =>
  service(random, "api", random.whole(countryCodes.length - 5, countryCodes.length - 1));

/** The same service from another country: its provider has moved it. */
export const moved = (random: Random, { name }: Destination): Destination => ({
  name,
  address: addressIn(random, random.whole(frequent, countryCodes.length - 6)),
});

/** As the file of the package tor-geoipdb. */
export const countryFile = countryCodes
  .map((code, n) => {
    const first = (20 * 256 + n) * 65_536;
    return `${first},${first + 65_535},${code}\n`;
  })
  .join("");
