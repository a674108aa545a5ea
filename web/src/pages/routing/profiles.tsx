import type { Profile } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, reading, useAct } from "../../api/reading.ts";
import { useNames } from "../../components/names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { ProfileDialog } from "./profile-dialog.tsx";
import { usePolicies } from "./readings.ts";

/** Paths that several policies share. */
export function Profiles() {
  const { routing, kit } = useWords();
  const say = routing.profile;
  const profiles = useQuery(everyRow("profiles", "list"));
  const policies = usePolicies().data;
  const users = useMemo(() => countBy((policies ?? []).map(({ profile_id }) => profile_id)), [policies]);
  const nameOf = useNames();
  const [, setDoing] = useAddress("do");
  const [, setOpen] = useAddress("open");
  const [removing, setRemoving] = useState<Profile>();
  const add = (
    <Button icon="add" needs={["profiles", "create"]} onPress={() => setDoing("add")}>
      {say.add}
    </Button>
  );
  return (
    <>
      <LoadedCard title={routing.profiles} actions={add} query={profiles}>
        {(rows) => (
          <>
            <p className="quiet fine">{say.hint}</p>
            {rows.length === 0 ? (
              <Empty says={say.none} />
            ) : (
              <Table
                label={routing.profiles}
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    key: "name",
                    title: say.name,
                    width: "2fr",
                    cell: ({ name, description }) => (
                      <span>
                        <span className="strong">{name}</span>
                        {description && <span className="quiet fine"> {description}</span>}
                      </span>
                    ),
                  },
                  {
                    key: "way",
                    title: say.way,
                    width: "2fr",
                    cell: ({ hops, splitting }) =>
                      hops.length === 0
                        ? say.straight
                        : hops.map(({ target }) => nameOf(target)).join(splitting ? " + " : " → "),
                  },
                  { key: "fails", title: say.fails, cell: ({ fail_policy }) => say.failWords[fail_policy] },
                  { key: "users", title: say.usedBy, cell: ({ id }) => say.users(users.get(id) ?? 0) },
                  {
                    key: "actions",
                    title: say.actions,
                    actions: true,
                    cell: (profile) => (
                      <Menu
                        label={kit.actionsFor(profile.name)}
                        items={[
                          {
                            label: kit.edit,
                            icon: "edit",
                            needs: ["profiles", "update"],
                            onPress: () => setOpen(profile.id),
                          },
                          {
                            label: kit.remove,
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
  const say = useWords().routing.profile;
  const toast = useToast();
  const remove = useAct("profiles", "remove");
  const create = useAct("profiles", "create");
  return (
    <StopDialog
      open={profile !== undefined}
      onClose={onClose}
      title={say.removeTitle(profile?.name ?? "")}
      action={say.removeAction}
      says={profile && <Users id={profile.id} />}
      act={async () => {
        if (!profile) return;
        const { id, ...body } = profile;
        await remove.mutateAsync({ params: { id } });
        toast.done(say.removed(profile.name), () => create.mutate({ body }, { onError: toast.failed }));
      }}
    />
  );
}

function Users({ id }: { readonly id: string }) {
  const say = useWords().routing.profile;
  const format = useFormat();
  const references = useQuery(reading("references", "show", { params: { type: "profile", id } })).data;
  if (!references) return null;
  const counted = Object.entries(references.referenced_by)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => say.counted(count, say.kinds[kind] ?? kind.replaceAll("_", " ")));
  return <p>{counted.length === 0 ? say.unused : say.used(format.list(counted))}</p>;
}
