import type { Policy, Profile } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { Later } from "../../ui/later.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useNames } from "../../components/names.ts";
import { usePolicySentence, useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import {
  bodyOf,
  canSplit,
  type Draft,
  draftOf,
  draftThrough,
  failPolicyOf,
  isWhole,
  nameFor,
  pathOf,
  priorityFor,
  stateNow,
  type Way,
} from "./draft.ts";
import { FailField } from "./fail-field.tsx";
import { HopsField } from "./hops-field.tsx";
import { usePolicies } from "./readings.ts";
import { SourceFields } from "./source-fields.tsx";

/** `?do=add` opens a new policy, with `&through=ID` one for this tunnel; `?open=ID` edits one. */
export function EditorDialog() {
  const { frame, routing } = useWords();
  const say = routing.editor;
  const may = useMay();
  const [doing, setDoing] = useAddress("do");
  const [open, setOpen] = useAddress("open");
  const [through, setThrough] = useAddress("through");
  const policies = usePolicies().data;
  const policy = policies?.find(({ id }) => id === open);
  const isAdding = doing === "add" && may(["routing", "create"]);
  const isEditing = open !== "" && may(["routing", "update"]);
  const close = () => {
    if (doing !== "") setDoing("");
    if (through !== "") setThrough("");
    if (open !== "") setOpen("");
  };
  return (
    <Dialog
      wide
      open={(isAdding || isEditing) && policies !== undefined}
      onClose={close}
      title={isAdding ? say.addTitle : policy ? say.editTitle(policy.name) : frame.titles.routing}
    >
      {policies &&
        (isEditing && !policy ? (
          <p>{say.gone}</p>
        ) : (
          <Later meanwhile={<div className="skeleton" />}>
            <Editor
              key={policy?.id ?? ""}
              policy={isAdding ? undefined : policy}
              through={through}
              policies={policies}
              onClose={close}
            />
          </Later>
        ))}
    </Dialog>
  );
}

interface EditorProps {
  readonly policy: Policy | undefined;
  /** Id of the tunnel that a new policy begins with; empty: none. */
  readonly through: string;
  readonly policies: readonly Policy[];
  readonly onClose: () => void;
}

/** The policy as a sentence with placeholders, its ribbon, and the fields below. */
function Editor({ policy, through, policies, onClose }: EditorProps) {
  const { routing, kit } = useWords();
  const say = routing.editor;
  const toast = useToast();
  const [draft, setDraft] = useState(() => (policy ? draftOf(policy) : draftThrough(through)));
  const set = (change: Partial<Draft>) => setDraft((was) => ({ ...was, ...change }));
  const profiles = useQuery(everyRow("profiles", "list")).data ?? [];
  const told = useTold(draft, profiles);
  const done = ({ name }: Policy) => {
    toast.done(say.saved(name));
    onClose();
  };
  const create = useAct("routing", "create", { onDone: done });
  const update = useAct("routing", "update", { onDone: done });
  const suggested = priorityFor(draft.source_type, policies);
  const taken = new Set(policies.filter(({ id }) => id !== policy?.id).map(({ name }) => name));
  const save = () => {
    if (!isWhole(draft)) return;
    const body = bodyOf(draft, { name: nameFor(told.who, told.names, taken), priority: suggested });
    if (policy) update.mutate({ params: { id: policy.id }, body });
    else create.mutate({ body });
  };
  return (
    <Form onSubmit={save} problem={create.error ?? update.error}>
      <Preview draft={draft} profiles={profiles} {...told} />
      <Part title={say.who}>
        <SourceFields
          type={draft.source_type}
          value={draft.source_value}
          onChange={(source_type, source_value) => set({ source_type, source_value })}
        />
      </Part>
      <Part title={say.goes}>
        <WayFields draft={draft} set={set} profiles={profiles} />
      </Part>
      {draft.way === "hops" && (
        <Part title={say.fails}>
          <FailField value={draft.fail_policy} onChange={(fail_policy) => set({ fail_policy })} />
        </Part>
      )}
      <Part title={say.name}>
        <div className="routing-pair">
          <TextField
            label={say.name}
            name="name"
            optional
            hint={say.nameHint}
            value={draft.name}
            onChange={(name) => set({ name })}
          />
          <TextField
            type="number"
            min={0}
            max={1_000_000}
            label={say.priority}
            name="priority"
            hint={say.priorityHint}
            placeholder={String(suggested)}
            value={draft.priority}
            onChange={(priority) => set({ priority })}
          />
        </div>
        <SwitchField label={say.enabled} value={draft.enabled} onChange={(enabled) => set({ enabled })} />
      </Part>
      <div className="row spread">
        <Button onPress={onClose}>{kit.cancel}</Button>
        <Button kind="main" type="submit" disabled={!isWhole(draft)} busy={create.isPending || update.isPending}>
          {say.save}
        </Button>
      </div>
    </Form>
  );
}

interface Told {
  readonly sentence: string;
  readonly who: string;
  /** Names of its hops. */
  readonly names: readonly string[];
}

/** The draft as a sentence, with "…" for missing parts. */
function useTold(draft: Draft, profiles: readonly Profile[]): Told {
  const { sources } = useWords().paths;
  const [sentence, nameOf] = [usePolicySentence(), useNames()];
  const hole = "…";
  const { source_type, way, splitting, hops } = draft;
  const source_value = draft.source_value || hole;
  const profile = profiles.find(({ id }) => id === draft.profile_id);
  return {
    who: sources[source_type](nameOf(source_value)),
    names:
      way === "hops" ? hops.map(({ target }) => nameOf(target)) : profile && way === "profile" ? [profile.name] : [],
    sentence: sentence({
      source_type,
      source_value,
      fail_policy: failPolicyOf(draft),
      splitting: splitting && canSplit(hops),
      hops: way !== "hops" ? [] : hops.length > 0 ? [...hops] : [{ type: "vpn", target: hole }],
      profile_id: way === "profile" ? draft.profile_id || hole : null,
    }),
  };
}

function Preview({
  draft,
  profiles,
  sentence,
  who,
}: Told & { readonly draft: Draft; readonly profiles: readonly Profile[] }) {
  const path = pathOf(draft, profiles);
  const hops = useRibbonHops()(path.hops);
  const isOpen = draft.way === "hops" && hops.length === 0;
  return (
    <div className="routing-says">
      <p className="strong wrap" role="status">
        {sentence}
      </p>
      <Ribbon from={who} fromName={who} hops={hops} state={isOpen ? "unknown" : stateNow(hops, path)} />
    </div>
  );
}

interface WayProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  readonly profiles: readonly Profile[];
}

function WayFields({ draft, set, profiles }: WayProps) {
  const say = useWords().routing.editor;
  const ways: readonly Way[] = [
    "hops",
    "direct",
    "blocked",
    "profile",
    ...(draft.way === "next" ? ["next" as const] : []),
  ];
  return (
    <div className="stack">
      <SelectField
        label={say.way}
        value={draft.way}
        options={ways.map((way) => ({ value: way, label: say.ways[way] }))}
        onChange={(way) => set({ way })}
      />
      {draft.way === "hops" && <HopsField hops={draft.hops} onChange={(hops) => set({ hops })} />}
      {draft.way === "hops" && canSplit(draft.hops) && (
        <SwitchField
          label={say.splitting}
          hint={say.splittingHint}
          value={draft.splitting}
          onChange={(splitting) => set({ splitting })}
        />
      )}
      {draft.way === "profile" &&
        (profiles.length === 0 ? (
          <p className="quiet">{say.noProfiles}</p>
        ) : (
          <PickField
            label={say.profile}
            name="profile_id"
            value={draft.profile_id}
            options={profiles.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(profile_id) => set({ profile_id })}
          />
        ))}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="routing-part" aria-label={title}>
      <h2>{title}</h2>
      <div className="stack">{children}</div>
    </section>
  );
}
