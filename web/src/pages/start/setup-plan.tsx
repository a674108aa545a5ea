import type { SetupPlan } from "@portcullis/contract/subsystems/setup";
import { Card } from "../../ui/page.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** What an apply does, before it does it. */
export function PlanList({ plan, lan }: { readonly plan: SetupPlan; readonly lan: string }) {
  const { setup: t } = useTranslation();
  const format = useFormat();
  const { file, changes, lan_address: address, address_set_by: by, dhcp, confirm_sec: sec, web_address: web } = plan;
  return (
    <Card title={t.plan}>
      <ul className="start-plan fine wrap">
        <li>
          {changes.length === 0 ? t.fileStays(file) : t.fileChanges(file)}
          {changes.length > 0 && (
            <ul>
              {changes.map(({ key, from, to }) => (
                <li key={key}>
                  <code>{key}</code>: {shown(from)} → {shown(to)}
                </li>
              ))}
            </ul>
          )}
        </li>
        <li>{by === "gateway" ? t.setsAddress(address, lan) : t.keepsAddress(address, lan)}</li>
        <li>{dhcp === null ? t.noLeases(lan) : t.leases(dhcp.first, dhcp.last, lan)}</li>
        {web !== null && <li>{t.webAt(web)}</li>}
        <li>{t.enforces}</li>
        <li>{sec === 0 ? t.noConfirmation : t.confirmWithin(format.duration(sec))}</li>
      </ul>
    </Card>
  );
}

const shown = (value: unknown): string =>
  value === "" ? '""' : Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
