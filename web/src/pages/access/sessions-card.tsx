import type { Session } from "@portcullis/contract/subsystems/auth";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { apiQuery } from "../../api/queries.ts";
import { useSignOut } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

export function SessionsCard() {
  const { access: t } = useTranslation();
  const query = useQuery(apiQuery("auth", "tokens"));
  const [leaving, setLeaving] = useState<Session>();
  return (
    <LoadedCard title={t.sessions} query={query} actions={<SignOut sessions={query.data ?? []} />}>
      {(sessions) => (
        <>
          {sessions.length === 0 ? (
            <p className="quiet">{t.noSessions}</p>
          ) : (
            <SessionTable sessions={sessions} onEnd={setLeaving} />
          )}
          {leaving && <EndDialog session={leaving} onClose={() => setLeaving(undefined)} />}
        </>
      )}
    </LoadedCard>
  );
}

function SignOut({ sessions }: { readonly sessions: readonly Session[] }) {
  const { access: t } = useTranslation();
  const toast = useToast();
  const leave = useSignOut();
  if (!sessions.some(({ current }) => current)) return null;
  return (
    <Button busy={leave.isPending} onPress={() => leave.mutate(undefined, { onError: toast.failed })}>
      {t.signOut}
    </Button>
  );
}

interface TableProps {
  readonly sessions: readonly Session[];
  readonly onEnd: (session: Session) => void;
}

function SessionTable({ sessions, onEnd }: TableProps) {
  const { access: t } = useTranslation();
  const columns: Column<Session>[] = [
    {
      key: "who",
      title: t.who,
      width: "2fr",
      cell: ({ username, current }) => (
        <span className="row">
          <span className="strong">{username}</span>
          {current && <span className="tag">{t.here}</span>}
        </span>
      ),
    },
    { key: "where", title: t.where, cell: ({ address }) => <span className="code">{address}</span> },
    { key: "since", title: t.since, cell: ({ created_at }) => <Ago at={created_at} /> },
    { key: "until", title: t.until, cell: ({ expires_at }) => <Ago at={expires_at} /> },
    {
      key: "end",
      title: t.end,
      actions: true,
      width: "6.5rem",
      cell: (session) =>
        !session.current && (
          <Button
            kind="quiet"
            needs={["auth", "endSession"]}
            label={t.endTitle(session.username, session.address)}
            onPress={() => onEnd(session)}
          >
            {t.end}
          </Button>
        ),
    },
  ];
  return <Table label={t.sessions} rows={sessions} columns={columns} rowKey={({ id }) => id} />;
}

function EndDialog({
  session: { id, username, address },
  onClose,
}: {
  readonly session: Session;
  readonly onClose: () => void;
}) {
  const { access: t } = useTranslation();
  const toast = useToast();
  const queries = useQueryClient();
  return (
    <StopDialog
      open
      onClose={onClose}
      title={t.endTitle(username, address)}
      text={t.outAt(username, address)}
      action={t.endIt}
      act={async () => {
        await gateway.auth.endSession({ params: { id } });
        await queries.invalidateQueries({ queryKey: ["auth"] });
        toast.done(t.sessionEnded);
      }}
    />
  );
}
