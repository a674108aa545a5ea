import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { DeviceDialog } from "../../components/device-dialog.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { BelongingsTab } from "./belongings-tab.tsx";
import { DeviceList } from "./device-list.tsx";
import "./devices.css";

export function DevicesPage() {
  const { frame, devices: say } = useWords();
  const [tab, show] = useAddress("tab", "list");
  const [deed, setDeed] = useAddress("do");
  const [mac, setMac] = useAddress("mac");
  const may = useMay();
  const closeAdding = () => {
    setDeed("");
    setMac("");
  };
  return (
    <Page
      title={frame.titles.devices}
      question={say.question}
      actions={
        <Button kind="main" icon="add" needs={["devices", "create"]} onPress={() => setDeed("add")}>
          {say.addDevice}
        </Button>
      }
    >
      <Tabs
        label={frame.titles.devices}
        shown={tab}
        onShow={show}
        tabs={[
          { id: "list", label: say.tabs.list, content: () => <DeviceList /> },
          { id: "groups", label: say.tabs.groups, content: () => <BelongingsTab /> },
        ]}
      />
      {deed === "add" && may(["devices", "create"]) && <DeviceDialog mac={mac} onClose={closeAdding} />}
    </Page>
  );
}
