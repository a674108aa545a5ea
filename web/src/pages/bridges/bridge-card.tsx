import type { Bridge, BridgeHealth } from "@portcullis/contract/subsystems/bridges";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { State } from "../../ui/state.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { bridgeStates, bridgeWord, portState, portWord } from "./port.ts";

export interface BridgeDeeds {
  readonly turn: (bridge: Bridge) => void;
  readonly ask: (word: "edit" | "remove" | "test", bridge: Bridge) => void;
  readonly busyWith: string | undefined;
}

interface CardProps {
  readonly bridge: Bridge;
  readonly health: BridgeHealth | undefined;
  readonly deeds: BridgeDeeds;
}

export function BridgeCard({ bridge, health, deeds }: CardProps) {
  const { bridges: say, kit } = useWords();
  const word = bridgeWord(bridge);
  const target = health?.arp_target_answers;
  return (
    <section className="card bridges-card" aria-label={bridge.name}>
      <header>
        <h2 className="wrap grow">{bridge.name}</h2>
        <div className="row bridges-buttons">
          <Button needs={["bridges", "toggle"]} busy={deeds.busyWith === bridge.id} onPress={() => deeds.turn(bridge)}>
            {bridge.enabled ? say.switchOff : say.switchOn}
          </Button>
          <Menu
            label={kit.actionsFor(bridge.name)}
            items={[
              { label: say.test, icon: "check", needs: ["bridges", "test"], onPress: () => deeds.ask("test", bridge) },
              { label: kit.edit, icon: "edit", needs: ["bridges", "update"], onPress: () => deeds.ask("edit", bridge) },
              {
                label: kit.remove,
                icon: "remove",
                danger: true,
                needs: ["bridges", "remove"],
                onPress: () => deeds.ask("remove", bridge),
              },
            ]}
          />
        </div>
      </header>
      <div>
        <div className="row">
          <State state={bridgeStates[word]} text={say.conditions[word]} />
          <span className="tag">{bridge.interface}</span>
        </div>
        {bridge.reason && <p className="quiet fine wrap">{say.reason(bridge.reason)}</p>}
      </div>
      <dl className="bridges-facts">
        <div>
          <dt className="quiet fine">{say.addresses}</dt>
          <dd className="wrap">{bridge.addresses.length > 0 ? bridge.addresses.join(", ") : kit.none}</dd>
        </div>
        <div>
          <dt className="quiet fine">{say.carrier}</dt>
          <dd>{health === undefined ? "–" : health.carrier ? kit.yes : kit.no}</dd>
        </div>
        <div>
          <dt className="quiet fine">{say.stp}</dt>
          <dd>{bridge.stp ? kit.on : kit.off}</dd>
        </div>
        {target != null && (
          <div>
            <dt className="quiet fine">{say.neighbour}</dt>
            <dd>{target ? say.answers : say.silent}</dd>
          </div>
        )}
      </dl>
      <div className="stack tight">
        <h3 className="quiet fine">{say.members}</h3>
        <Ports bridge={bridge} health={health} />
      </div>
    </section>
  );
}

function Ports({ bridge, health }: Omit<CardProps, "deeds">) {
  const say = useWords().bridges;
  if (bridge.members.length === 0) return <p className="quiet fine">{say.noMembers}</p>;
  const seen = new Map(health?.members.map((member) => [member.interface, member]));
  return (
    <ul className="stack tight">
      {bridge.members.map((name) => {
        const member = seen.get(name);
        return (
          <li key={name} className="row spread">
            <span className="code">{name}</span>
            {member ? (
              <State state={portState(member)} text={say.ports[portWord(member)]} />
            ) : (
              <State state="unknown" text={say.ports.unknown} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
