import { memo, useDeferredValue, useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { RowCount } from "../../ui/row-count.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { DeviceLink } from "../../components/device-link.tsx";
import type { Belongings } from "../../components/effective-class.ts";
import { type PrivacyOfDevice, stateOfVerdict } from "../../components/privacy/verdicts.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { fitting, type Row, controlSourcesOf } from "./device-rows.ts";

interface Props {
  readonly rows: readonly Row[];
  readonly wanted: string;
  readonly onWant: (state: string) => void;
}

/** Each device with its state, the reason, its controls, and the result of the last check. */
export function DevicesCard({ rows, wanted, onWant }: Props) {
  const t = useTranslation().privacy.table;
  const [text, setText] = useSearchParam("find");
  const belongings = useBelongings();
  const looked = useDeferredValue(text);
  const shown = useMemo(() => fitting(rows, looked, wanted), [rows, looked, wanted]);
  if (rows.length === 0)
    return (
      <Card title={t.title}>
        <p className="quiet">{t.none}</p>
      </Card>
    );
  return (
    <Card title={t.title}>
      <div className="privacy-filters">
        <TextField type="search" label={t.find} placeholder={t.findExample} value={text} onChange={setText} />
        <RowCount shown={shown.length} all={rows.length} />
      </div>
      {shown.length > 0 ? (
        <DeviceTable rows={shown} privacyClasses={belongings.privacy} />
      ) : (
        <Empty text={t.noMatch}>
          <Button
            onPress={() => {
              setText("");
              onWant("");
            }}
          >
            {t.showAll}
          </Button>
        </Empty>
      )}
    </Card>
  );
}

interface TableProps {
  readonly rows: readonly Row[];
  readonly privacyClasses: Belongings["privacy"];
}

/** Not rendered again while the user types, until the matches are known. */
const DeviceTable = memo(function DeviceTable({ rows, privacyClasses }: TableProps) {
  const messages = useTranslation().privacy;
  const t = messages.table;
  const format = useFormat();
  const why = useReason();
  const columns: Column<Row>[] = [
    {
      key: "name",
      title: t.device,
      width: "1.4fr",
      cell: ({ device: { device_id, name } }) => (
        <span className="strong">
          <DeviceLink id={device_id} name={name} />
        </span>
      ),
    },
    {
      key: "posture",
      title: t.posture,
      width: "2.2fr",
      cell: ({ state, device }) => (
        <div>
          <State state={state} />
          <div className="quiet fine wrap">{why.line(device)}</div>
        </div>
      ),
    },
    {
      key: "controls",
      title: t.controls,
      width: "2.2fr",
      cell: ({ device }) => <Controls device={device} privacyClasses={privacyClasses} />,
    },
    {
      key: "verdict",
      title: t.verdict,
      width: "1.1fr",
      cell: ({ device: { verdict } }) => <State state={stateOfVerdict[verdict]} text={messages.verdicts[verdict]} />,
    },
    {
      key: "tried",
      title: t.tried,
      width: "0.8fr",
      right: true,
      cell: ({ device: { attempts } }) => format.number(attempts),
    },
  ];
  return <Table label={t.label} rows={rows} columns={columns} rowKey={({ device }) => device.device_id} />;
});

interface ControlsProps {
  readonly device: PrivacyOfDevice;
  readonly privacyClasses: Belongings["privacy"];
}

/** Controls by their source. */
function Controls({ device, privacyClasses }: ControlsProps) {
  const { privacy: messages, devices } = useTranslation();
  const format = useFormat();
  const sources = controlSourcesOf(device.controls);
  const short = devices.belongings.privacy.short;
  if (sources.length === 0) return <span className="quiet fine">{messages.table.noControls}</span>;
  const className = privacyClasses.get(device.privacy_class ?? "")?.name ?? "";
  return (
    <ul className="fine">
      {sources.map(({ from, on, off }) => (
        <li key={from}>
          <span className="quiet">
            {from === "class" ? messages.sources.class(className) : messages.sources[from]}:{" "}
          </span>
          {format.list([...on.map((it) => short[it]), ...off.map((it) => messages.allowed[it])])}
        </li>
      ))}
    </ul>
  );
}
