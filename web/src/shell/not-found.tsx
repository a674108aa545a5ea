import { LinkButton } from "../ui/button.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { useWords } from "../i18n/i18n.tsx";

export function NotFound() {
  const { frame } = useWords();
  return (
    <Page title={frame.notFound}>
      <Empty says={frame.notFound}>
        <LinkButton to="/">{frame.toHome}</LinkButton>
      </Empty>
    </Page>
  );
}
