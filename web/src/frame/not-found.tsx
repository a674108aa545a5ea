import { LinkButton } from "../kit/button.tsx";
import { Empty, Page } from "../kit/page.tsx";
import { useWords } from "../words/words.tsx";

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
