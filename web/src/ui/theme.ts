export const themes = ["system", "dark", "light"] as const;
export type Theme = (typeof themes)[number];

const kept = "portcullis.theme";

/** Stored where `theme.js` reads it before the first paint. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(kept);
    delete document.documentElement.dataset["theme"];
    return;
  }
  localStorage.setItem(kept, theme);
  document.documentElement.dataset["theme"] = theme;
}

export const chosenTheme = (): Theme =>
  themes.find((it) => it === document.documentElement.dataset["theme"]) ?? "system";
