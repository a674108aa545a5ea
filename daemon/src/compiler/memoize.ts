/**
 * A pure function that keeps its last result: for the same arguments it returns the identical object. Later steps compare
 * identities to see that nothing has changed, so a change among ten thousand devices costs little more than itself.
 */
export function memoize<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined;
  return (...args) => {
    if (last && last.args.length === args.length && last.args.every((it, index) => it === args[index]))
      return last.result;
    last = { args, result: compute(...args) };
    return last.result;
  };
}

/** The same for a function of one object: its fields are compared. */
export function memoizeFields<Input extends object, Result>(
  compute: (input: Input) => Result,
): (input: Input) => Result {
  let last: { readonly input: Input; readonly result: Result } | undefined;
  return (input) => {
    if (last && isSame(last.input, input)) return last.result;
    last = { input, result: compute(input) };
    return last.result;
  };
}

function isSame<Input extends object>(a: Input, b: Input): boolean {
  const keys = Object.keys(a) as (keyof Input)[];
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** For plain data that is read again each time: as long as it is equal, the first object is returned. */
export function reuseEqual<T>(): (value: T) => T {
  let last: { readonly text: string; readonly value: T } | undefined;
  return (value) => {
    const text = JSON.stringify(value);
    if (last?.text !== text) last = { text, value };
    return last.value;
  };
}
