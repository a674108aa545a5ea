import type { Policy, Profile } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { Later } from "../../ui/later.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useNames } from "../../components/names.ts";
import { usePolicySentence, useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import {
  bodyOf,
  canSplit,
  canWait,
  type Draft,
  draftOf,
  draftThrough,
  failPolicyOf,
  isWhole,
  nameFor,
  pathOf,
  priorityFor,
  stateNow,
  type Route,
} from "./draft.ts";
import { FailField } from "./fail-field.tsx";
import { HopsField } from "./hops-field.tsx";
import { usePolicies } from "./policy-queries.ts";
import { SourceFields } from "./source-fields.tsx";

/** `?do=add` opens a new policy, with `&through=ID` one for this tunnel; `?open=ID` edits one. */
export function EditorDialog() {
  const { shell, routing } = useTranslation();
  const t = routing.editor;
  const may = useMay();
  const [doing, setDoing] = useSearchParam("do");
  const [open, setOpen] = useSearchParam("open");
  const [through, setThrough] = useSearchParam("through");
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
      title={isAdding ? t.addTitle : policy ? t.editTitle(policy.name) : shell.titles.routing}
    >
      {policies &&
        (isEditing && !policy ? (
          <p>{t.gone}</p>
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
  const { routing, ui } = useTranslation();
  const t = routing.editor;
  const toast = useToast();
  const [draft, setDraft] = useState(() => (policy ? draftOf(policy) : draftThrough(through)));
  const set = (change: Partial<Draft>) => setDraft((was) => ({ ...was, ...change }));
  const profiles = useQuery(allRows("profiles", "list")).data ?? [];
  const draftText = useDraftText(draft, profiles);
  const done = ({ name }: Policy) => {
    toast.done(t.saved(name));
    onClose();
  };
  const create = useAction("routing", "create", { onDone: done });
  const update = useAction("routing", "update", { onDone: done });
  const suggested = priorityFor(draft.source_type, policies);
  const taken = new Set(policies.filter(({ id }) => id !== policy?.id).map(({ name }) => name));
  const save = () => {
    if (!isWhole(draft)) return;
    const body = bodyOf(draft, { name: nameFor(draftText.who, draftText.names, taken), priority: suggested });
    if (policy) update.mutate({ params: { id: policy.id }, body });
    else create.mutate({ body });
  };
  return (
    <Form onSubmit={save} problem={create.error ?? update.error}>
      <Preview draft={draft} profiles={profiles} {...draftText} />
      <Part title={t.who}>
        <SourceFields
          type={draft.source_type}
          value={draft.source_value}
          onChange={(source_type, source_value) => set({ source_type, source_value })}
        />
      </Part>
      <Part title={t.goes}>
        <RouteFields draft={draft} set={set} profiles={profiles} />
      </Part>
      {draft.route === "hops" && (
        <Part title={t.fails}>
          <FailField value={draft.fail_policy} onChange={(fail_policy) => set({ fail_policy })} />
        </Part>
      )}
      {canWait(draft.source_type) ? (
        <Part title={t.when}>
          <ScheduleField value={draft.schedule_id} onChange={(schedule_id) => set({ schedule_id })} />
        </Part>
      ) : (
        <p className="quiet fine">{t.noSchedule}</p>
      )}
      <Part title={t.name}>
        <div className="routing-pair">
          <TextField
            label={t.name}
            name="name"
            optional
            hint={t.nameHint}
            value={draft.name}
            onChange={(name) => set({ name })}
          />
          <TextField
            type="number"
            min={0}
            max={1_000_000}
            label={t.priority}
            name="priority"
            hint={t.priorityHint}
            placeholder={String(suggested)}
            value={draft.priority}
            onChange={(priority) => set({ priority })}
          />
        </div>
        <SwitchField label={t.enabled} value={draft.enabled} onChange={(enabled) => set({ enabled })} />
      </Part>
      <div className="row spread">
        <Button onPress={onClose}>{ui.cancel}</Button>
        <Button kind="main" type="submit" disabled={!isWhole(draft)} busy={create.isPending || update.isPending}>
          {t.save}
        </Button>
      </div>
    </Form>
  );
}

interface ScheduleProps {
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function ScheduleField({ value, onChange }: ScheduleProps) {
  const t = useTranslation().routing.editor;
  const schedules = useQuery(allRows("schedules", "list")).data ?? [];
  return (
    <SelectField
      label={t.schedule}
      name="schedule_id"
      hint={schedules.length === 0 ? t.noSchedules : t.scheduleHint}
      value={value}
      options={[{ value: "", label: t.always }, ...schedules.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={onChange}
    />
  );
}

interface DraftText {
  readonly sentence: string;
  readonly who: string;
  /** Names of its hops. */
  readonly names: readonly string[];
}

/** The draft as a sentence, with "…" for missing parts. */
function useDraftText(draft: Draft, profiles: readonly Profile[]): DraftText {
  const { sources } = useTranslation().paths;
  const [sentence, nameOf] = [usePolicySentence(), useNames()];
  const hole = "…";
  const { source_type, route, splitting, hops } = draft;
  const source_value = draft.source_value || hole;
  const profile = profiles.find(({ id }) => id === draft.profile_id);
  return {
    who: sources[source_type](nameOf(source_value)),
    names:
      route === "hops"
        ? hops.map(({ target }) => nameOf(target))
        : profile && route === "profile"
          ? [profile.name]
          : [],
    sentence: sentence({
      source_type,
      source_value,
      fail_policy: failPolicyOf(draft),
      splitting: splitting && canSplit(hops),
      hops: route !== "hops" ? [] : hops.length > 0 ? [...hops] : [{ type: "vpn", target: hole }],
      profile_id: route === "profile" ? draft.profile_id || hole : null,
      schedule_id: canWait(source_type) && draft.schedule_id !== "" ? draft.schedule_id : null,
    }),
  };
}

function Preview({
  draft,
  profiles,
  sentence,
  who,
}: DraftText & { readonly draft: Draft; readonly profiles: readonly Profile[] }) {
  const path = pathOf(draft, profiles);
  const hops = useRibbonHops()(path.hops);
  const isOpen = draft.route === "hops" && hops.length === 0;
  return (
    <div className="routing-says">
      <p className="strong wrap" role="status">
        {sentence}
      </p>
      <Ribbon from={who} fromName={who} hops={hops} state={isOpen ? "unknown" : stateNow(hops, path)} />
    </div>
  );
}

interface RouteProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  readonly profiles: readonly Profile[];
}

function RouteFields({ draft, set, profiles }: RouteProps) {
  const t = useTranslation().routing.editor;
  const routes: readonly Route[] = [
    "hops",
    "direct",
    "blocked",
    "profile",
    ...(draft.route === "next" ? ["next" as const] : []),
  ];
  return (
    <div className="stack">
      <SelectField
        label={t.route}
        value={draft.route}
        options={routes.map((route) => ({ value: route, label: t.routes[route] }))}
        onChange={(route) => set({ route })}
      />
      {draft.route === "hops" && <HopsField hops={draft.hops} onChange={(hops) => set({ hops })} />}
      {draft.route === "hops" && canSplit(draft.hops) && (
        <SwitchField
          label={t.splitting}
          hint={t.splittingHint}
          value={draft.splitting}
          onChange={(splitting) => set({ splitting })}
        />
      )}
      {draft.route === "profile" &&
        (profiles.length === 0 ? (
          <p className="quiet">{t.noProfiles}</p>
        ) : (
          <PickField
            label={t.profile}
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
