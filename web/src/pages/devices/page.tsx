import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { DeviceDialog } from "../../components/device-dialog.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { BelongingsTab } from "./belongings-tab.tsx";
import { DeviceList } from "./device-list.tsx";
import "./devices.css";

export function DevicesPage() {
  const { shell, devices: t } = useTranslation();
  const [tab, show] = useSearchParam("tab", "list");
  const [action, setAction] = useSearchParam("do");
  const [mac, setMac] = useSearchParam("mac");
  const may = useMay();
  const closeAdding = () => {
    setAction("");
    setMac("");
  };
  return (
    <Page
      title={shell.titles.devices}
      subtitle={t.subtitle}
      actions={
        <Button kind="main" icon="add" needs={["devices", "create"]} onPress={() => setAction("add")}>
          {t.addDevice}
        </Button>
      }
    >
      <Tabs
        label={shell.titles.devices}
        shown={tab}
        onShow={show}
        tabs={[
          { id: "list", label: t.tabs.list, content: () => <DeviceList /> },
          { id: "groups", label: t.tabs.groups, content: () => <BelongingsTab /> },
        ]}
      />
      {action === "add" && may(["devices", "create"]) && <DeviceDialog mac={mac} onClose={closeAdding} />}
    </Page>
  );
}
