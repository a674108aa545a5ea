import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { UplinkDecisions, WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormButtons } from "../../ui/form-dialog.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import {
  bodyOf,
  changed,
  type Draft,
  draftOf,
  moved,
  outcomeOf,
  type UplinkDraft,
  withAnother,
  without,
} from "./draft.ts";

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly decisions: UplinkDecisions;
}

export function UplinksDialog({ open, onClose, decisions }: Props) {
  const say = useWords().network.dialog;
  const query = useQuery({ ...reading("uplinks", "get"), enabled: open });
  return (
    <Dialog open={open} onClose={onClose} title={say.title} needs={["uplinks", "put"]} wide>
      <Loaded query={query}>{(uplinks) => <Editor {...{ uplinks, decisions, onClose }} />}</Loaded>
    </Dialog>
  );
}

const most = 8;

function Editor({
  uplinks,
  decisions,
  onClose,
}: Pick<Props, "decisions" | "onClose"> & { readonly uplinks: WanUplinks }) {
  const say = useWords().network.dialog;
  const toast = useToast();
  // The state to which undo returns: by then the query has new data.
  const [before] = useState(() => draftOf(uplinks));
  const [draft, setDraft] = useState(before);
  const links = useQuery(reading("interfaces", "list")).data ?? [];
  const put = useAct("uplinks", "put", {
    renews: ["interfaces", "status"],
    onDone: () => {
      toast.done(say.saved, () => back.mutate({ body: bodyOf(before) }, { onError: toast.failed }));
      onClose();
    },
  });
  const back = useAct("uplinks", "put", { renews: ["interfaces", "status"] });
  return (
    <Form
      onSubmit={() => put.mutate({ body: bodyOf(draft) })}
      problem={put.error}
      buttons={<FormButtons onClose={onClose} busy={put.isPending} action={say.save} />}
    >
      <div className="network-uplink-fields">
        <SelectField
          label={say.mode}
          name="wan_failover_mode"
          value={draft.mode}
          onChange={(mode) => setDraft({ ...draft, mode })}
          options={(["manual", "auto"] as const).map((value) => ({ value, label: say.modes[value] }))}
        />
        {draft.mode === "manual" && (
          <SelectField
            label={say.active}
            name="active"
            value={String(draft.active ?? "")}
            onChange={(key) => setDraft({ ...draft, active: key === "" ? undefined : Number(key) })}
            options={[
              { value: "", label: say.preferred },
              ...draft.uplinks
                .filter(({ enabled }) => enabled)
                .map(({ key, name }) => ({ value: String(key), label: name || say.unnamed })),
            ]}
          />
        )}
      </div>
      <h2>{say.order}</h2>
      <ol className="stack tight">
        {draft.uplinks.map((uplink, place) => (
          <li key={uplink.key}>
            <UplinkFields {...{ uplink, place, draft, setDraft, links }} />
          </li>
        ))}
      </ol>
      <div>
        {draft.uplinks.length < most && (
          <Button icon="add" onPress={() => setDraft(withAnother)}>
            {say.add}
          </Button>
        )}
      </div>
      <OutcomeText draft={draft} decisions={decisions} />
    </Form>
  );
}

interface FieldsProps {
  readonly uplink: UplinkDraft;
  readonly place: number;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  readonly links: readonly NetworkInterface[];
}

function UplinkFields({
  uplink: { key, name, interface: link, targets, enabled },
  place,
  draft,
  setDraft,
  links,
}: FieldsProps) {
  const { kit, network } = useWords();
  const say = network.dialog;
  const change = (it: Partial<UplinkDraft>) => setDraft(changed(draft, key, it));
  const free = links.filter(({ role, kind }) => (role === "unused" || role === "uplink") && kind !== "loopback");
  const names = [...new Set([link, ...free.map((it) => it.name)])];
  const called = name || say.unnamed;
  return (
    <fieldset className="network-uplink" aria-label={say.place(place + 1)}>
      <div className="row spread">
        <SwitchField label={say.enabled} value={enabled} onChange={(value) => change({ enabled: value })} />
        <div className="row">
          <Button
            kind="bare"
            icon="up"
            label={say.up(called)}
            disabled={place === 0}
            onPress={() => setDraft(moved(draft, key, -1))}
          />
          <Button
            kind="bare"
            icon="down"
            label={say.down(called)}
            disabled={place === draft.uplinks.length - 1}
            onPress={() => setDraft(moved(draft, key, 1))}
          />
          <Button kind="bare" icon="remove" label={say.remove(called)} onPress={() => setDraft(without(draft, key))} />
        </div>
      </div>
      <div className="network-uplink-fields">
        <TextField
          label={say.name}
          name={`uplinks.${place}.name`}
          value={name}
          onChange={(value) => change({ name: value })}
        />
        <SelectField
          label={say.link}
          name={`uplinks.${place}.interface`}
          value={link}
          onChange={(value) => change({ interface: value })}
          options={names.map((value) => ({ value, label: value || kit.none }))}
        />
        <TextField
          label={say.targets}
          hint={say.targetsHint}
          name={`uplinks.${place}.probe_targets`}
          value={targets}
          onChange={(value) => change({ targets: value })}
        />
      </div>
    </fieldset>
  );
}

function OutcomeText({ draft, decisions }: { readonly draft: Draft; readonly decisions: UplinkDecisions }) {
  const say = useWords().network.outcome;
  const carrying = decisions.uplinks.find(({ name }) => name === decisions.active) ?? null;
  const outcome = outcomeOf(draft, carrying);
  const target = draft.uplinks.find(({ name }) => outcome.kind === "moves" && name === outcome.to)?.interface;
  const isDeaf = decisions.uplinks.some((it) => it.interface === target && it.status === "failed");
  return (
    <div className="problem" aria-live="polite">
      {outcome.kind === "moves"
        ? [say.moves(outcome.from, outcome.to), isDeaf && say.deaf(outcome.to)].filter(Boolean).join(" ")
        : outcome.kind === "stays"
          ? say.stays(outcome.on)
          : say[outcome.kind]}
    </div>
  );
}
