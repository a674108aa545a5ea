// Runs before the first paint and outside the bundle, so that no page flashes in the other theme.
try {
  const chosen = localStorage.getItem("portcullis.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is not available: the system's theme applies.
}
