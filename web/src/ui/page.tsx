import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, use, useEffect, useRef } from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { GuideContext } from "./guide.ts";
import { Icon } from "./icon.tsx";
import { Later } from "./later.tsx";
import { ProblemText, sentenceOf } from "./problem.tsx";
import { Ago } from "./time.tsx";

interface PageProps {
  readonly title: string;
  /** Shown under the title. */
  readonly subtitle?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The title of the window, and the heading, which takes the focus when the page opens: a screen reader announces it. */
export function usePageHead(title: string) {
  const { product } = useTranslation().shell;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => void (document.title = `${title} · ${product}`), [title, product]);
  useEffect(() => {
    if (document.activeElement === document.body) head.current?.focus({ preventScroll: true });
  }, []);
  return head;
}

export function Page({ title, subtitle, actions, children }: PageProps) {
  const head = usePageHead(title);
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1 ref={head} tabIndex={-1}>
            {title}
          </h1>
          {subtitle && <p className="quiet">{subtitle}</p>}
        </div>
        <div className="row">
          {actions}
          <GuideLink />
        </div>
      </div>
      <Later meanwhile={<div className="page-coming" />}>{children}</Later>
    </div>
  );
}

/** The page of the guide about this screen. */
export function GuideLink() {
  const { ui } = useTranslation();
  const guide = use(GuideContext);
  if (guide === undefined) return null;
  return (
    // A tab of its own: what was entered here stays.
    <a className="button quiet" href={`/docs/${guide}`} target="_blank" rel="noopener">
      <Icon name="help" />
      {ui.guide}
    </a>
  );
}

interface CardProps {
  readonly title: string;
  /** Beside the title, in small type. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, aside, actions, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      <header>
        {aside === undefined ? (
          <h2>{title}</h2>
        ) : (
          <div className="row">
            <h2>{title}</h2>
            <span className="quiet fine">{aside}</span>
          </div>
        )}
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, Error>;
  readonly children: (data: T) => ReactNode;
  /** Height of the placeholder while loading, in lines. */
  readonly lines?: number;
}

/** The data of a query, a placeholder while loading, or the problem; old data stay visible with their age. */
export function Loaded<T>({ query, children, lines = 3 }: LoadedProps<T>) {
  const { ui } = useTranslation();
  const { data, error, dataUpdatedAt, refetch } = query;
  if (data === undefined && error) return <ProblemText problem={error} again={() => void refetch()} />;
  if (data === undefined)
    return (
      <div className="stack tight" role="status" aria-label={ui.loading}>
        {Array.from({ length: lines }, (_, line) => (
          <div key={line} className="skeleton" />
        ))}
      </div>
    );
  return (
    <>
      {error && (
        <p className="quiet fine" role="status">
          {sentenceOf(error, ui.unreachable)} · <Ago at={new Date(dataUpdatedAt).toISOString()} />
        </p>
      )}
      {children(data)}
    </>
  );
}

/** A card with its own query. */
export function LoadedCard<T>({ title, actions, ...loaded }: Omit<CardProps, "children"> & LoadedProps<T>) {
  return (
    <Card title={title} actions={actions}>
      <Loaded {...loaded} />
    </Card>
  );
}

/** An empty state with the next step. */
export function Empty({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p>{text}</p>
      {children}
    </div>
  );
}

/** A number with its label. */
export function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <div className="number">{children}</div>
      <div className="quiet fine">{name}</div>
    </div>
  );
}
