import { useSearchParam } from "../../ui/search-param.ts";
import { FilteringCard } from "./filtering-card.tsx";
import { CatalogueDialog } from "./catalogue.tsx";
import { AddListDialog, EditListDialog } from "./list-dialogs.tsx";
import { ListsCard } from "./lists-card.tsx";
import { ThreatFeedsCard } from "./threat-feeds.tsx";

export function ListsTab() {
  const [doing, setDoing] = useSearchParam("do");
  const close = () => setDoing("");
  return (
    <>
      <FilteringCard />
      <ListsCard onAdd={() => setDoing("add")} onChoose={() => setDoing("catalogue")} />
      <ThreatFeedsCard />
      {doing === "add" && <AddListDialog onClose={close} />}
      {doing === "catalogue" && <CatalogueDialog onClose={close} />}
      <EditListDialog />
    </>
  );
}
