import type { Bridge, BridgeHealth } from "@portcullis/contract/subsystems/bridges";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { State } from "../../ui/state.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { bridgeStates, bridgeWord, portState, portWord } from "./port.ts";

export interface BridgeActions {
  readonly toggle: (bridge: Bridge) => void;
  readonly openDialog: (word: "edit" | "remove" | "test", bridge: Bridge) => void;
  readonly busyWith: string | undefined;
}

interface CardProps {
  readonly bridge: Bridge;
  readonly health: BridgeHealth | undefined;
  readonly actions: BridgeActions;
}

export function BridgeCard({ bridge, health, actions }: CardProps) {
  const { bridges: t, ui } = useTranslation();
  const why = useReason();
  const word = bridgeWord(bridge);
  const target = health?.arp_target_answers;
  return (
    <section className="card bridges-card" aria-label={bridge.name}>
      <header>
        <h2 className="wrap grow">{bridge.name}</h2>
        <div className="row bridges-buttons">
          <Button
            needs={["bridges", "toggle"]}
            busy={actions.busyWith === bridge.id}
            onPress={() => actions.toggle(bridge)}
          >
            {bridge.enabled ? t.switchOff : t.switchOn}
          </Button>
          <Menu
            label={ui.actionsFor(bridge.name)}
            items={[
              {
                label: t.test,
                icon: "check",
                needs: ["bridges", "test"],
                onPress: () => actions.openDialog("test", bridge),
              },
              {
                label: ui.edit,
                icon: "edit",
                needs: ["bridges", "update"],
                onPress: () => actions.openDialog("edit", bridge),
              },
              {
                label: ui.remove,
                icon: "remove",
                danger: true,
                needs: ["bridges", "remove"],
                onPress: () => actions.openDialog("remove", bridge),
              },
            ]}
          />
        </div>
      </header>
      <div>
        <div className="row">
          <State state={bridgeStates[word]} text={t.conditions[word]} />
          <span className="tag">{bridge.interface}</span>
        </div>
        <p className="quiet fine wrap">{why.sentence(bridge)}</p>
      </div>
      <dl className="bridges-facts">
        <div>
          <dt className="quiet fine">{t.addresses}</dt>
          <dd className="wrap">{bridge.addresses.length > 0 ? bridge.addresses.join(", ") : ui.none}</dd>
        </div>
        <div>
          <dt className="quiet fine">{t.link}</dt>
          <dd>{health === undefined ? "–" : health.carrier ? ui.yes : ui.no}</dd>
        </div>
        <div>
          <dt className="quiet fine">{t.stp}</dt>
          <dd>{bridge.stp ? ui.on : ui.off}</dd>
        </div>
        {target != null && (
          <div>
            <dt className="quiet fine">{t.neighbour}</dt>
            <dd>{target ? t.answers : t.silent}</dd>
          </div>
        )}
      </dl>
      <div className="stack tight">
        <h3 className="quiet fine">{t.members}</h3>
        <Ports bridge={bridge} health={health} />
      </div>
    </section>
  );
}

function Ports({ bridge, health }: Omit<CardProps, "actions">) {
  const t = useTranslation().bridges;
  if (bridge.members.length === 0) return <p className="quiet fine">{t.noMembers}</p>;
  const seen = new Map(health?.members.map((member) => [member.interface, member]));
  return (
    <ul className="stack tight">
      {bridge.members.map((name) => {
        const member = seen.get(name);
        return (
          <li key={name} className="row spread">
            <span className="code">{name}</span>
            {member ? (
              <State state={portState(member)} text={t.ports[portWord(member)]} />
            ) : (
              <State state="unknown" text={t.ports.unknown} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
