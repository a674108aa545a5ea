import type { Profile } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, apiQuery, useAction } from "../../api/queries.ts";
import { useNames } from "../../components/names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ProfileDialog } from "./profile-dialog.tsx";
import { usePolicies } from "./policy-queries.ts";

/** Paths that several policies share. */
export function Profiles() {
  const { routing, ui } = useTranslation();
  const t = routing.profile;
  const profiles = useQuery(allRows("profiles", "list"));
  const policies = usePolicies().data;
  const users = useMemo(() => countBy((policies ?? []).map(({ profile_id }) => profile_id)), [policies]);
  const nameOf = useNames();
  const [, setDoing] = useSearchParam("do");
  const [, setOpen] = useSearchParam("open");
  const [removing, setRemoving] = useState<Profile>();
  const add = (
    <Button icon="add" needs={["profiles", "create"]} onPress={() => setDoing("add")}>
      {t.add}
    </Button>
  );
  return (
    <>
      <LoadedCard title={routing.profiles} actions={add} query={profiles}>
        {(rows) => (
          <>
            <p className="quiet fine">{t.hint}</p>
            {rows.length === 0 ? (
              <Empty text={t.none} />
            ) : (
              <Table
                label={routing.profiles}
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    key: "name",
                    title: t.name,
                    width: "2fr",
                    cell: ({ name, description }) => (
                      <span>
                        <span className="strong">{name}</span>
                        {description && <span className="quiet fine"> {description}</span>}
                      </span>
                    ),
                  },
                  {
                    key: "route",
                    title: t.route,
                    width: "2fr",
                    cell: ({ hops, splitting }) =>
                      hops.length === 0
                        ? t.straight
                        : hops.map(({ target }) => nameOf(target)).join(splitting ? " + " : " → "),
                  },
                  { key: "fails", title: t.fails, cell: ({ fail_policy }) => t.failLabels[fail_policy] },
                  { key: "users", title: t.usedBy, cell: ({ id }) => t.users(users.get(id) ?? 0) },
                  {
                    key: "actions",
                    title: t.actions,
                    actions: true,
                    cell: (profile) => (
                      <Menu
                        label={ui.actionsFor(profile.name)}
                        items={[
                          {
                            label: ui.edit,
                            icon: "edit",
                            needs: ["profiles", "update"],
                            onPress: () => setOpen(profile.id),
                          },
                          {
                            label: ui.remove,
                            icon: "remove",
                            danger: true,
                            needs: ["profiles", "remove"],
                            onPress: () => setRemoving(profile),
                          },
                        ]}
                      />
                    ),
                  },
                ]}
              />
            )}
          </>
        )}
      </LoadedCard>
      <ProfileDialog profiles={profiles.data} />
      <RemoveProfile profile={removing} onClose={() => setRemoving(undefined)} />
    </>
  );
}

const countBy = (keys: readonly (string | null)[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

function RemoveProfile({ profile, onClose }: { readonly profile: Profile | undefined; readonly onClose: () => void }) {
  const t = useTranslation().routing.profile;
  const toast = useToast();
  const remove = useAction("profiles", "remove");
  const create = useAction("profiles", "create");
  return (
    <StopDialog
      open={profile !== undefined}
      onClose={onClose}
      title={t.removeTitle(profile?.name ?? "")}
      action={t.removeAction}
      text={profile && <Users id={profile.id} />}
      act={async () => {
        if (!profile) return;
        const { id, ...body } = profile;
        await remove.mutateAsync({ params: { id } });
        toast.done(t.removed(profile.name), () => create.mutate({ body }, { onError: toast.failed }));
      }}
    />
  );
}

function Users({ id }: { readonly id: string }) {
  const t = useTranslation().routing.profile;
  const format = useFormat();
  const references = useQuery(apiQuery("references", "show", { params: { type: "profile", id } })).data;
  if (!references) return null;
  const counted = Object.entries(references.referenced_by)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => t.counted(count, t.kinds[kind] ?? kind.replaceAll("_", " ")));
  return <p>{counted.length === 0 ? t.unused : t.used(format.list(counted))}</p>;
}
