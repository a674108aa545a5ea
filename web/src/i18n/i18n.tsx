import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { Words } from "./en/en.ts";
import { type Format, formatFor, regional } from "./format.ts";

export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** Each language is a file of its own that only its readers load. */
const load: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import("./en/en.ts")).en,
  de: async () => (await import("./de/de.ts")).de,
};

interface Spoken {
  readonly words: Words;
  readonly format: Format;
  readonly language: Language;
  readonly speak: (language: Language) => void;
  /** Back to what the browser itself prefers. */
  readonly forget: () => void;
}
const Speech = createContext<Spoken | undefined>(undefined);

function useSpeech(): Spoken {
  const speech = useContext(Speech);
  if (!speech) throw new Error("Words are spoken outside of their provider");
  return speech;
}
/** `const say = useWords(); say.devices.title` */
export const useWords = (): Words => useSpeech().words;
export const useFormat = (): Format => useSpeech().format;
export const useLanguage = (): Pick<Spoken, "language" | "speak" | "forget"> => useSpeech();

const kept = "portcullis.language";

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(preferred);
  const [words, setWords] = useState<Words>();
  useEffect(() => {
    let wanted = true;
    void load[language]().then((loaded) => {
      if (!wanted) return;
      document.documentElement.lang = language;
      setWords(loaded);
    });
    return () => void (wanted = false);
  }, [language]);
  const speech = useMemo(
    () =>
      words && {
        words,
        format: formatFor(regional(language, navigator.languages), words.time),
        language,
        speak: (next: Language) => {
          localStorage.setItem(kept, next);
          setLanguage(next);
        },
        forget: () => {
          localStorage.removeItem(kept);
          setLanguage(preferred());
        },
      },
    [words, language],
  );
  return speech && <Speech value={speech}>{children}</Speech>;
}

function preferred(): Language {
  const wishes = [localStorage.getItem(kept), ...navigator.languages.map((it) => it.slice(0, 2))];
  return wishes.find((it): it is Language => it !== null && Object.hasOwn(languages, it)) ?? "en";
}
