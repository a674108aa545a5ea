// The search of the documentation. The index is loaded with the first letter; nothing is sent.
const form = document.querySelector("form[role=search]");
const [field, list] = [form.querySelector("input"), form.querySelector("ol")];
const root = new URL(form.dataset.root, location.href);
let index;

form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
field.addEventListener("input", () => {
  index ??= fetch(form.dataset.index).then((answer) => answer.json());
  void index.then((entries) => show(found(entries, field.value)));
});

/** Every word must occur; a word in a heading counts more than one in the text. */
function found(entries, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const weight = ([title, heading, , content]) => {
    const [inHeading, inTitle] = [heading.toLowerCase(), title.toLowerCase()];
    let sum = 0;
    for (const word of words) {
      const here = inHeading.includes(word) ? 9 : inTitle.includes(word) ? 4 : content.includes(word) ? 1 : 0;
      if (here === 0) return 0;
      sum += here;
    }
    return sum;
  };
  return entries
    .map((entry) => [weight(entry), entry])
    .filter(([sum]) => sum > 0)
    .toSorted(([a], [b]) => b - a)
    .slice(0, 20)
    .map(([, entry]) => entry);
}

function show(entries) {
  list.replaceChildren(
    ...entries.map(([title, heading, address]) => {
      const link = document.createElement("a");
      link.href = new URL(address, root).href;
      link.textContent = heading === title ? title : `${title}: ${heading}`;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
}
