import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { StagedBar } from "../../components/staged-bar.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { EditorDialog } from "./editor.tsx";
import { Explain } from "./explain.tsx";
import { Policies } from "./policies.tsx";
import { Profiles } from "./profiles.tsx";
import "./routing.css";

export function RoutingPage() {
  const { shell, routing: t } = useTranslation();
  const may = useMay();
  const [tab, setTab] = useSearchParam("tab", "policies");
  const [, setDoing] = useSearchParam("do");
  return (
    <Page
      title={shell.titles.routing}
      subtitle={t.subtitle}
      actions={
        tab === "policies" && (
          <Button kind="main" icon="add" needs={["routing", "create"]} onPress={() => setDoing("add")}>
            {t.add}
          </Button>
        )
      }
    >
      <Tabs
        label={t.tabs}
        shown={tab}
        onShow={setTab}
        tabs={[
          { id: "policies", label: t.policies, content: () => <Policies /> },
          ...(may(["profiles", "list"]) ? [{ id: "profiles", label: t.profiles, content: () => <Profiles /> }] : []),
          ...(may(["policyViews", "evaluate"])
            ? [{ id: "explain", label: t.explain, content: () => <Explain /> }]
            : []),
        ]}
      />
      <StagedBar />
      {tab === "policies" && <EditorDialog />}
    </Page>
  );
}
