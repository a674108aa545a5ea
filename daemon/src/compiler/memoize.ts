/**
 * A pure function that keeps its last answer: asked the same again, it answers the very same object. What follows sees
 * at a glance that nothing has changed, so a change among ten thousand devices costs little more than itself.
 */
export function memoize<Given extends readonly unknown[], Answer>(
  answer: (...given: Given) => Answer,
): (...given: Given) => Answer {
  let last: { readonly given: Given; readonly answer: Answer } | undefined;
  return (...given) => {
    if (last && last.given.length === given.length && last.given.every((it, place) => it === given[place]))
      return last.answer;
    last = { given, answer: answer(...given) };
    return last.answer;
  };
}

/** The same for plain data that is read anew each time: as long as it says the same, the first of its kind is answered. */
export function reuseEqual<T>(): (value: T) => T {
  let last: { readonly text: string; readonly value: T } | undefined;
  return (value) => {
    const text = JSON.stringify(value);
    if (last?.text !== text) last = { text, value };
    return last.value;
  };
}
