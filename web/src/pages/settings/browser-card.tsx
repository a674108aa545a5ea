import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { chooseTheme, chosenTheme, themes } from "../../ui/theme.ts";
import { useToast } from "../../ui/toasts.tsx";
import { type Language, languages, useLanguage, useWords } from "../../i18n/i18n.tsx";

/** Preferences that are stored in this browser only. */
export function BrowserCard() {
  const { frame, settings: say } = useWords();
  const { language, speak, forget } = useLanguage();
  const toast = useToast();
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: typeof theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Card title={say.browser}>
      <SelectField
        label={frame.language}
        value={language}
        onChange={speak}
        options={Object.entries(languages).map(([value, label]) => ({ value: value as Language, label }))}
      />
      <SelectField
        label={frame.theme}
        value={theme}
        onChange={choose}
        options={themes.map((value) => ({ value, label: frame.themes[value] }))}
      />
      <p className="quiet fine">{say.browserSays}</p>
      <div>
        <Button
          kind="quiet"
          onPress={() => {
            choose("system");
            forget();
            toast.done(say.forgotten);
          }}
        >
          {say.forget}
        </Button>
      </div>
    </Card>
  );
}
