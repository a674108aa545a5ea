import { memo, useDeferredValue, useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { RowCount } from "../../ui/row-count.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { DeviceLink } from "../../components/device-link.tsx";
import type { Belongings } from "../../components/holding-class.ts";
import { type PrivacyOfDevice, stateOfVerdict } from "../../components/privacy/verdicts.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { fitting, type Row, voicesOf } from "./device-rows.ts";

interface Props {
  readonly rows: readonly Row[];
  readonly wanted: string;
  readonly onWant: (state: string) => void;
}

/** Each device with its state, the reason, its controls, and the result of the last check. */
export function DevicesCard({ rows, wanted, onWant }: Props) {
  const say = useWords().privacy.table;
  const [text, setText] = useAddress("find");
  const belongings = useBelongings();
  const looked = useDeferredValue(text);
  const shown = useMemo(() => fitting(rows, looked, wanted), [rows, looked, wanted]);
  if (rows.length === 0)
    return (
      <Card title={say.title}>
        <p className="quiet">{say.none}</p>
      </Card>
    );
  return (
    <Card title={say.title}>
      <div className="privacy-filters">
        <TextField type="search" label={say.find} placeholder={say.findExample} value={text} onChange={setText} />
        <RowCount shown={shown.length} all={rows.length} />
      </div>
      {shown.length > 0 ? (
        <DeviceTable rows={shown} privacyClasses={belongings.privacy} />
      ) : (
        <Empty says={say.nobodyFits}>
          <Button
            onPress={() => {
              setText("");
              onWant("");
            }}
          >
            {say.showAll}
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
  const words = useWords().privacy;
  const say = words.table;
  const format = useFormat();
  const columns: Column<Row>[] = [
    {
      key: "name",
      title: say.device,
      width: "1.4fr",
      cell: ({ device: { device_id, name } }) => (
        <span className="strong">
          <DeviceLink id={device_id} name={name} />
        </span>
      ),
    },
    {
      key: "posture",
      title: say.posture,
      width: "2.2fr",
      cell: ({ state, device: { reason } }) => (
        <div>
          <State state={state} />
          <div className="quiet fine wrap">{reason}</div>
        </div>
      ),
    },
    {
      key: "controls",
      title: say.controls,
      width: "2.2fr",
      cell: ({ device }) => <Controls device={device} privacyClasses={privacyClasses} />,
    },
    {
      key: "verdict",
      title: say.verdict,
      width: "1.1fr",
      cell: ({ device: { verdict } }) => <State state={stateOfVerdict[verdict]} text={words.verdicts[verdict]} />,
    },
    {
      key: "tried",
      title: say.tried,
      width: "0.8fr",
      right: true,
      cell: ({ device: { attempts } }) => format.number(attempts),
    },
  ];
  return <Table label={say.label} rows={rows} columns={columns} rowKey={({ device }) => device.device_id} />;
});

interface ControlsProps {
  readonly device: PrivacyOfDevice;
  readonly privacyClasses: Belongings["privacy"];
}

/** Controls by their source. */
function Controls({ device, privacyClasses }: ControlsProps) {
  const { privacy: words, devices } = useWords();
  const format = useFormat();
  const voices = voicesOf(device.controls);
  const short = devices.belongings.privacy.short;
  if (voices.length === 0) return <span className="quiet fine">{words.table.noControls}</span>;
  const className = privacyClasses.get(device.privacy_class ?? "")?.name ?? "";
  return (
    <ul className="fine">
      {voices.map(({ from, on, off }) => (
        <li key={from}>
          <span className="quiet">{from === "class" ? words.voices.class(className) : words.voices[from]}: </span>
          {format.list([...on.map((it) => short[it]), ...off.map((it) => words.allowed[it])])}
        </li>
      ))}
    </ul>
  );
}
