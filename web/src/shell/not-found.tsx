import { LinkButton } from "../ui/button.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { useTranslation } from "../i18n/i18n.tsx";

export function NotFound() {
  const { shell } = useTranslation();
  return (
    <Page title={shell.notFound}>
      <Empty text={shell.notFound}>
        <LinkButton to="/">{shell.toHome}</LinkButton>
      </Empty>
    </Page>
  );
}
