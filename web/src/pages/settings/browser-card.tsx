import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { chooseTheme, chosenTheme, themes } from "../../ui/theme.ts";
import { useToast } from "../../ui/toasts.tsx";
import { type Language, languages, useLanguage, useTranslation } from "../../i18n/i18n.tsx";

/** Preferences that are stored in this browser only. */
export function BrowserCard() {
  const { shell, settings: t } = useTranslation();
  const { language, setLanguage, resetLanguage } = useLanguage();
  const toast = useToast();
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: typeof theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Card title={t.browser}>
      <SelectField
        label={shell.language}
        value={language}
        onChange={setLanguage}
        options={Object.entries(languages).map(([value, label]) => ({ value: value as Language, label }))}
      />
      <SelectField
        label={shell.theme}
        value={theme}
        onChange={choose}
        options={themes.map((value) => ({ value, label: shell.themes[value] }))}
      />
      <p className="quiet fine">{t.browserText}</p>
      <div>
        <Button
          kind="quiet"
          onPress={() => {
            choose("system");
            resetLanguage();
            toast.done(t.resetDone);
          }}
        >
          {t.reset}
        </Button>
      </div>
    </Card>
  );
}
