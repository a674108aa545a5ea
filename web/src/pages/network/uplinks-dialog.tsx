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
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
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
  const t = useTranslation().network.dialog;
  const query = useQuery({ ...apiQuery("uplinks", "get"), enabled: open });
  return (
    <Dialog open={open} onClose={onClose} title={t.title} needs={["uplinks", "put"]} wide>
      <Loaded query={query}>{(uplinks) => <Editor {...{ uplinks, decisions, onClose }} />}</Loaded>
    </Dialog>
  );
}

const max = 8;

function Editor({
  uplinks,
  decisions,
  onClose,
}: Pick<Props, "decisions" | "onClose"> & { readonly uplinks: WanUplinks }) {
  const t = useTranslation().network.dialog;
  const toast = useToast();
  // The state to which undo returns: by then the query has new data.
  const [before] = useState(() => draftOf(uplinks));
  const [draft, setDraft] = useState(before);
  const links = useQuery(apiQuery("interfaces", "list")).data ?? [];
  const put = useAction("uplinks", "put", {
    invalidates: ["interfaces", "status"],
    onDone: () => {
      toast.done(t.saved, () => back.mutate({ body: bodyOf(before) }, { onError: toast.failed }));
      onClose();
    },
  });
  const back = useAction("uplinks", "put", { invalidates: ["interfaces", "status"] });
  return (
    <Form
      onSubmit={() => put.mutate({ body: bodyOf(draft) })}
      problem={put.error}
      buttons={<FormButtons onClose={onClose} busy={put.isPending} action={t.save} />}
    >
      <div className="network-uplink-fields">
        <SelectField
          label={t.mode}
          name="wan_failover_mode"
          value={draft.mode}
          onChange={(mode) => setDraft({ ...draft, mode })}
          options={(["manual", "auto"] as const).map((value) => ({ value, label: t.modes[value] }))}
        />
        {draft.mode === "manual" && (
          <SelectField
            label={t.active}
            name="active"
            value={String(draft.active ?? "")}
            onChange={(key) => setDraft({ ...draft, active: key === "" ? undefined : Number(key) })}
            options={[
              { value: "", label: t.preferred },
              ...draft.uplinks
                .filter(({ enabled }) => enabled)
                .map(({ key, name }) => ({ value: String(key), label: name || t.unnamed })),
            ]}
          />
        )}
      </div>
      <h2>{t.order}</h2>
      <ol className="stack tight">
        {draft.uplinks.map((uplink, index) => (
          <li key={uplink.key}>
            <UplinkFields {...{ uplink, index, draft, setDraft, links }} />
          </li>
        ))}
      </ol>
      <div>
        {draft.uplinks.length < max && (
          <Button icon="add" onPress={() => setDraft(withAnother)}>
            {t.add}
          </Button>
        )}
      </div>
      <OutcomeText draft={draft} decisions={decisions} />
    </Form>
  );
}

interface FieldsProps {
  readonly uplink: UplinkDraft;
  readonly index: number;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  readonly links: readonly NetworkInterface[];
}

function UplinkFields({
  uplink: { key, name, interface: link, targets, enabled },
  index,
  draft,
  setDraft,
  links,
}: FieldsProps) {
  const { ui, network } = useTranslation();
  const t = network.dialog;
  const change = (it: Partial<UplinkDraft>) => setDraft(changed(draft, key, it));
  const free = links.filter(({ role, kind }) => (role === "unused" || role === "uplink") && kind !== "loopback");
  const names = [...new Set([link, ...free.map((it) => it.name)])];
  const called = name || t.unnamed;
  return (
    <fieldset className="network-uplink" aria-label={t.index(index + 1)}>
      <div className="row spread">
        <SwitchField label={t.enabled} value={enabled} onChange={(value) => change({ enabled: value })} />
        <div className="row">
          <Button
            kind="bare"
            icon="up"
            label={t.up(called)}
            disabled={index === 0}
            onPress={() => setDraft(moved(draft, key, -1))}
          />
          <Button
            kind="bare"
            icon="down"
            label={t.down(called)}
            disabled={index === draft.uplinks.length - 1}
            onPress={() => setDraft(moved(draft, key, 1))}
          />
          <Button kind="bare" icon="remove" label={t.remove(called)} onPress={() => setDraft(without(draft, key))} />
        </div>
      </div>
      <div className="network-uplink-fields">
        <TextField
          label={t.name}
          name={`uplinks.${index}.name`}
          value={name}
          onChange={(value) => change({ name: value })}
        />
        <SelectField
          label={t.link}
          name={`uplinks.${index}.interface`}
          value={link}
          onChange={(value) => change({ interface: value })}
          options={names.map((value) => ({ value, label: value || ui.none }))}
        />
        <TextField
          label={t.targets}
          hint={t.targetsHint}
          name={`uplinks.${index}.probe_targets`}
          value={targets}
          onChange={(value) => change({ targets: value })}
        />
      </div>
    </fieldset>
  );
}

function OutcomeText({ draft, decisions }: { readonly draft: Draft; readonly decisions: UplinkDecisions }) {
  const t = useTranslation().network.outcome;
  const active = decisions.uplinks.find(({ name }) => name === decisions.active) ?? null;
  const outcome = outcomeOf(draft, active);
  const target = draft.uplinks.find(({ name }) => outcome.kind === "moves" && name === outcome.to)?.interface;
  const isUnreachable = decisions.uplinks.some((it) => it.interface === target && it.status === "failed");
  return (
    <div className="problem" aria-live="polite">
      {outcome.kind === "moves"
        ? [t.moves(outcome.from, outcome.to), isUnreachable && t.unreachable(outcome.to)].filter(Boolean).join(" ")
        : outcome.kind === "stays"
          ? t.stays(outcome.on)
          : t[outcome.kind]}
    </div>
  );
}
