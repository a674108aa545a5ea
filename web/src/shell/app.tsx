import { Problem, type ProblemCode } from "@portcullis/contract/problem";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { Loaded } from "../ui/page.tsx";
import { GuideContext } from "../ui/guide.ts";
import { ToastProvider } from "../ui/toasts.tsx";
import { LiveProvider } from "../api/live.tsx";
import { SessionProvider, useMay, useCurrentUser } from "../api/session.tsx";
import { I18nProvider } from "../i18n/i18n.tsx";
import { Boundary } from "./boundary.tsx";
import { menu } from "./menu.ts";
import { NotFound } from "./not-found.tsx";
import { PendingBar } from "./pending.tsx";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import "../ui/ui.css";

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <I18nProvider>
        <ToastProvider>
          <AccessGate />
        </ToastProvider>
      </I18nProvider>
    </QueryClientProvider>
  );
}

/** A rejected session leads to the sign-in form. */
const onRejectedSession = (problem: Error): void => {
  if (problem instanceof Problem && problem.code === "unauthorized")
    void queries.invalidateQueries({ queryKey: ["auth", "status"] });
};

const retriesFor: Partial<Record<ProblemCode, number>> = { rate_limited: 3 };

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (problem, { queryKey }) => queryKey[1] !== "status" && onRejectedSession(problem),
  }),
  mutationCache: new MutationCache({ onError: onRejectedSession }),
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // A refused request is not repeated; a failed connection is retried once, and a rate limit is
      // waited for.
      retry: (failures, problem) => failures < (problem instanceof Problem ? (retriesFor[problem.code] ?? 0) : 1),
      retryDelay: (failures, problem) => (problem instanceof Problem ? 2000 * failures + 1000 * Math.random() : 500),
      refetchOnWindowFocus: true,
    },
  },
});

const pages = menu.map((entry) => ({ ...entry, Page: lazy(async () => ({ default: await entry.load() })) }));

/** First the account, then the sign-in, then the application. */
function AccessGate() {
  const who = useCurrentUser();
  const [path] = useLocation();
  return (
    <Loaded query={who}>
      {({ enabled, setup_open, authenticated, role, local_bypass }) => {
        const isIn = !enabled || authenticated || local_bypass;
        if (enabled && setup_open && path !== "/start") return <Redirect to="/start" replace />;
        const isStarting = path === "/start" && (isIn || setup_open);
        if (path === "/sign-in" ? !authenticated : !isIn && !isStarting) return <SignIn />;
        // Access by `auth.local_net` may read everything and change nothing.
        const actsAs = enabled && !authenticated && local_bypass ? "viewer" : enabled ? role : "admin";
        return (
          <SessionProvider role={actsAs}>
            <LiveProvider enabled={isIn && role !== "diagnostics" && role !== "metrics"}>
              {path === "/start" ? (
                <Boundary key={path}>
                  {isIn && <PendingBar staged={false} />}
                  <Start />
                </Boundary>
              ) : (
                <Shell>
                  <Boundary key={path}>
                    <Pages />
                  </Boundary>
                </Shell>
              )}
            </LiveProvider>
          </SessionProvider>
        );
      }}
    </Loaded>
  );
}

const start = pages.find(({ path }) => path === "/start")!;

function Start() {
  return (
    <Suspense fallback={null}>
      <GuideContext value={start.guide}>
        <start.Page />
      </GuideContext>
    </Suspense>
  );
}

function Pages() {
  const may = useMay();
  return (
    <Suspense fallback={<div className="page-coming" />}>
      <Switch>
        {pages
          .filter(({ needs }) => !needs || may(needs))
          .map(({ path, guide, Page }) => (
            <Route key={path} path={path}>
              <GuideContext value={guide}>
                <Page />
              </GuideContext>
            </Route>
          ))}
        <Route path="/sign-in">
          <Redirect to="/" replace />
        </Route>
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  );
}
