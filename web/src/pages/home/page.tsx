import { useMay } from "../../api/session.tsx";
import { Attention } from "./attention.tsx";
import { ExitsCard } from "./exits-card.tsx";
import { TopTalkers } from "./talkers.tsx";
import { Tiles } from "./tiles.tsx";
import { VerdictCard } from "./verdict-card.tsx";
import { Welcome } from "./welcome.tsx";
import "./home.css";

/** On one screen: the verdict, where traffic leaves, what needs attention, and the last hour. */
export function HomePage() {
  const may = useMay();
  if (!may(["policyViews", "postures"])) return <Welcome />;
  return (
    <div className="home">
      <VerdictCard />
      <div className="home-main">
        <ExitsCard />
        <div className="home-side">
          <Attention />
          {may(["traffic", "summary"]) && <TopTalkers />}
        </div>
      </div>
      <Tiles />
    </div>
  );
}
