import { useGo } from "../ui/search-param.ts";
import { Menu } from "../ui/floating.tsx";
import { useSignOut, useCurrentUser } from "../api/session.tsx";
import { chooseTheme, themes } from "../ui/theme.ts";
import { useToast } from "../ui/toasts.tsx";
import { languages, useLanguage, useTranslation } from "../i18n/i18n.tsx";

/** The current user, theme and language. */
export function AccountMenu() {
  const { shell } = useTranslation();
  const { setLanguage } = useLanguage();
  const who = useCurrentUser().data;
  const [go, toast, leave] = [useGo(), useToast(), useSignOut()];
  return (
    <Menu
      label={shell.account}
      icon="person"
      items={[
        who?.role != null && { title: shell.signedInAs(who.actor ?? "–", shell.roles[who.role]) },
        { title: shell.theme },
        ...themes.map((theme) => ({ label: shell.themes[theme], onPress: () => chooseTheme(theme) })),
        { title: shell.language },
        ...Object.entries(languages).map(([language, label]) => ({
          label,
          onPress: () => setLanguage(language as keyof typeof languages),
        })),
        who?.enabled && !who.authenticated && { label: shell.signIn, onPress: () => go("/sign-in") },
        who?.enabled &&
          who.authenticated && {
            label: shell.signOut,
            onPress: () => leave.mutate(undefined, { onError: toast.failed }),
          },
      ]}
    />
  );
}
