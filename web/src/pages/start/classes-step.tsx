import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ChoiceField } from "../../ui/choice.tsx";
import { Form, SelectField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/page.tsx";
import { gateway } from "../../api/gateway.ts";
import { allRows } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { type Choice, policiesFor, type Treatment, unknownByDefault } from "./plan.ts";

const trialSec = 120;

/** Two choices and the policies that implement them. Applied on trial first. */
export function ClassesStep({ onDone }: { readonly onDone: () => void }) {
  const tunnels = useQuery(allRows("tunnels", "list"));
  return <Loaded query={tunnels}>{(all) => <Choices tunnels={all.map(({ name }) => name)} onDone={onDone} />}</Loaded>;
}

interface ChoicesProps {
  readonly tunnels: readonly string[];
  readonly onDone: () => void;
}

function Choices({ tunnels, onDone }: ChoicesProps) {
  const { start: t } = useTranslation();
  const queries = useQueryClient();
  const hasTunnel = tunnels.length > 0;
  const [tunnel, setTunnel] = useState(tunnels[0] ?? "");
  const [known, setKnown] = useState<Treatment>(hasTunnel ? "through" : "direct");
  // Not blocked: no device is known yet, and the whole network would be without internet.
  const [unknown, setUnknown] = useState<Treatment>(unknownByDefault(hasTunnel));
  const apply = useMutation({
    mutationFn: () => putInForce({ tunnel, known, unknown }, t.made),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onDone();
    },
  });
  const offered = (["through", "direct", "blocked"] as const).filter((it) => it !== "through" || hasTunnel);
  const choices = offered.map((value) => ({ value, ...t.treatments[value](tunnel) }));
  const consequences = offered.map((value) => ({
    value,
    label: t.treatments[value](tunnel).label,
    hint: t.unknownConsequences[value],
  }));
  return (
    <Form onSubmit={() => apply.mutate()} problem={apply.error}>
      {tunnels.length > 1 && (
        <SelectField
          label={t.whichTunnel}
          value={tunnel}
          onChange={setTunnel}
          options={tunnels.map((name) => ({ value: name, label: name }))}
        />
      )}
      <ChoiceField legend={t.knownDevices} value={known} onChange={setKnown} choices={choices} />
      <ChoiceField legend={t.unknownDevices} value={unknown} onChange={setUnknown} choices={consequences} />
      <p className="quiet fine">{t.macIsNoProof}</p>
      <div>
        <Button kind="main" type="submit" busy={apply.isPending} needs={["routing", "apply"]}>
          {t.tryIt}
        </Button>
      </div>
    </Form>
  );
}

type Names = ReturnType<typeof useTranslation>["start"]["made"];

/** A second run of the wizard updates the policies of the first instead of creating new ones. */
async function putInForce(choice: Choice, names: Names): Promise<void> {
  const devices = (await gateway.devices.list({ query: { limit: 1000, state: "known" } })).items.map(({ id }) => id);
  const groups = (await gateway.deviceGroups.list({ query: { limit: 1000 } })).items;
  const group = groups.find(({ name }) => name === names.group);
  if (group)
    await gateway.deviceGroups.update({
      params: { id: group.id },
      body: { device_ids: [...new Set([...group.device_ids, ...devices])] },
    });
  else await gateway.deviceGroups.create({ body: { name: names.group, device_ids: devices } });
  const wanted = policiesFor(choice, names);
  const ours = (await gateway.routing.list({ query: { limit: 1000 } })).items.filter(({ name }) =>
    [names.everyone, names.known, names.unknown].includes(name),
  );
  for (const { id, name } of ours)
    if (!wanted.some((it) => it.name === name)) await gateway.routing.remove({ params: { id } });
  for (const body of wanted) {
    const there = ours.find(({ name }) => name === body.name);
    if (there) await gateway.routing.update({ params: { id: there.id }, body });
    else await gateway.routing.create({ body });
  }
  await gateway.routing.apply({ query: { confirm_within: trialSec } });
}
