import { useGo } from "../ui/address.ts";
import { Menu } from "../ui/floating.tsx";
import { useSignOut, useWho } from "../api/session.tsx";
import { chooseTheme, themes } from "../ui/theme.ts";
import { useToast } from "../ui/toasts.tsx";
import { languages, useLanguage, useWords } from "../i18n/i18n.tsx";

/** The current user, theme and language. */
export function AccountMenu() {
  const { frame } = useWords();
  const { speak } = useLanguage();
  const who = useWho().data;
  const [go, toast, leave] = [useGo(), useToast(), useSignOut()];
  return (
    <Menu
      label={frame.account}
      icon="person"
      items={[
        who?.role != null && { title: frame.signedInAs(who.actor ?? "–", frame.roles[who.role]) },
        { title: frame.theme },
        ...themes.map((theme) => ({ label: frame.themes[theme], onPress: () => chooseTheme(theme) })),
        { title: frame.language },
        ...Object.entries(languages).map(([language, label]) => ({
          label,
          onPress: () => speak(language as keyof typeof languages),
        })),
        who?.enabled && !who.authenticated && { label: frame.signIn, onPress: () => go("/sign-in") },
        who?.enabled &&
          who.authenticated && {
            label: frame.signOut,
            onPress: () => leave.mutate(undefined, { onError: toast.failed }),
          },
      ]}
    />
  );
}
