export const signIn = {
  title: "Sign in",
  byPassword: "With the administrator password",
  byKey: "With an API key",
  username: "Username",
  password: "Password",
  key: "API key",
  keyHint: "Operators, viewers and diagnostics users sign in with an API key. The session has the role of the key.",
  enter: "Sign in",
  other: { password: "Use an API key instead", key: "Use a password instead" },
};
