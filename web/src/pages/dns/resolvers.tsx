import { useMay } from "../../api/session.tsx";
import { ExternalFilterCard } from "./external-filter.tsx";
import { ForwardersCard } from "./forwarders-card.tsx";
import { OptionsCard } from "./options-card.tsx";
import { UpstreamsCard } from "./upstreams-card.tsx";

export function ResolversTab() {
  const may = useMay();
  return (
    <>
      <UpstreamsCard />
      <ForwardersCard />
      {may(["dnsOptions", "get"]) && <OptionsCard />}
      {may(["dnsExtfilter", "status"]) && <ExternalFilterCard />}
    </>
  );
}
