import { useState } from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";

/** Text to copy. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  const { ui } = useTranslation();
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
    });
  return (
    <div className="stack tight">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre className="code-block" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <div>
        <Button onPress={copy}>{copied ? ui.copied : ui.copy}</Button>
      </div>
    </div>
  );
}
