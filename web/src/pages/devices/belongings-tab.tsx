import { GroupsCard } from "./groups-card.tsx";
import { PrivacyClassesCard } from "./privacy-classes-card.tsx";
import { TrustClassesCard } from "./trust-classes-card.tsx";

/** Groups, trust classes and privacy classes. */
export function BelongingsTab() {
  return (
    <>
      <GroupsCard />
      <PrivacyClassesCard />
      <TrustClassesCard />
    </>
  );
}
