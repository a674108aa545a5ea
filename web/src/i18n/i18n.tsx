import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { Messages } from "./en/en.ts";
import { type Format, formatFor, regional } from "./format.ts";

export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** Each language is loaded on demand. */
const load: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => (await import("./en/en.ts")).en,
  de: async () => (await import("./de/de.ts")).de,
};

interface I18n {
  readonly messages: Messages;
  readonly format: Format;
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  /** Returns to the browser's preference. */
  readonly resetLanguage: () => void;
}
const I18nContext = createContext<I18n | undefined>(undefined);

function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (!i18n) throw new Error("useTranslation needs an I18nProvider");
  return i18n;
}
/** `const t = useTranslation(); t.devices.title` */
export const useTranslation = (): Messages => useI18n().messages;
export const useFormat = (): Format => useI18n().format;
export const useLanguage = (): Pick<I18n, "language" | "setLanguage" | "resetLanguage"> => useI18n();

const storageKey = "portcullis.language";

export function I18nProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(preferred);
  const [messages, setMessages] = useState<Messages>();
  useEffect(() => {
    let wanted = true;
    void load[language]().then((loaded) => {
      if (!wanted) return;
      document.documentElement.lang = language;
      setMessages(loaded);
    });
    return () => void (wanted = false);
  }, [language]);
  const i18n = useMemo(
    () =>
      messages && {
        messages,
        format: formatFor(regional(language, navigator.languages), messages.time),
        language,
        setLanguage: (next: Language) => {
          localStorage.setItem(storageKey, next);
          setLanguage(next);
        },
        resetLanguage: () => {
          localStorage.removeItem(storageKey);
          setLanguage(preferred());
        },
      },
    [messages, language],
  );
  return i18n && <I18nContext value={i18n}>{children}</I18nContext>;
}

function preferred(): Language {
  const candidates = [localStorage.getItem(storageKey), ...navigator.languages.map((it) => it.slice(0, 2))];
  return candidates.find((it): it is Language => it !== null && Object.hasOwn(languages, it)) ?? "en";
}
