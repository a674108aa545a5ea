import { randomFrom } from "./seed.ts";

/** Random values of simulated traffic. */
export interface Random {
  readonly share: () => number;
  readonly between: (least: number, most: number) => number;
  readonly whole: (least: number, most: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
  /** Few large values among many small ones. */
  readonly logNormal: (median: number, spread: number) => number;
  readonly logUniform: (least: number, most: number) => number;
  readonly text: (alphabet: string, length: number) => string;
}

export function randomOf(seed: number): Random {
  const share = randomFrom(seed);
  const between = (least: number, most: number) => least + (most - least) * share();
  const whole = (least: number, most: number) => Math.floor(between(least, most + 1));
  return {
    share,
    between,
    whole,
    chance: (probability) => share() < probability,
    pick: (from) => from[Math.floor(share() * from.length)]!,
    logNormal: (median, spread) =>
      median * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - share())) * Math.cos(2 * Math.PI * share())),
    logUniform: (least, most) => least * (most / least) ** share(),
    text: (alphabet, length) => Array.from({ length }, () => alphabet[Math.floor(share() * alphabet.length)]).join(""),
  };
}
