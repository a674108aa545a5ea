import { useTranslation } from "../../i18n/i18n.tsx";
import { Page } from "../../ui/page.tsx";

/** For roles that may read nothing of what the page shows. */
export function Welcome() {
  const { shell, home } = useTranslation();
  return (
    <Page title={shell.titles.home}>
      <p>{home.nothingToRead}</p>
    </Page>
  );
}
