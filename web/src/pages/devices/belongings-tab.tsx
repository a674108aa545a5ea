import { GroupsCard } from "./groups-card.tsx";
import { PrivacyClassesCard } from "./privacy-classes-card.tsx";
import { TrustClassesCard } from "./trust-classes-card.tsx";

/** What devices belong to: groups, and the classes that say how far one is trusted and how it is protected. */
export function BelongingsTab() {
  return (
    <>
      <GroupsCard />
      <PrivacyClassesCard />
      <TrustClassesCard />
    </>
  );
}
