import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { StagedBar } from "../../components/staged-bar.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { EditorDialog } from "./editor.tsx";
import { Explain } from "./explain.tsx";
import { Policies } from "./policies.tsx";
import { Profiles } from "./profiles.tsx";
import "./routing.css";

export function RoutingPage() {
  const { frame, routing: say } = useWords();
  const may = useMay();
  const [tab, setTab] = useAddress("tab", "policies");
  const [, setDoing] = useAddress("do");
  return (
    <Page
      title={frame.titles.routing}
      question={say.question}
      actions={
        tab === "policies" && (
          <Button kind="main" icon="add" needs={["routing", "create"]} onPress={() => setDoing("add")}>
            {say.add}
          </Button>
        )
      }
    >
      <Tabs
        label={say.tabs}
        shown={tab}
        onShow={setTab}
        tabs={[
          { id: "policies", label: say.policies, content: () => <Policies /> },
          ...(may(["profiles", "list"]) ? [{ id: "profiles", label: say.profiles, content: () => <Profiles /> }] : []),
          ...(may(["policyViews", "evaluate"])
            ? [{ id: "explain", label: say.explain, content: () => <Explain /> }]
            : []),
        ]}
      />
      <StagedBar />
      {tab === "policies" && <EditorDialog />}
    </Page>
  );
}
