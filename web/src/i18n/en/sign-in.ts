export const signIn = {
  title: "Sign in",
  byPassword: "With the administrator's password",
  byKey: "With an API key",
  username: "Name",
  password: "Password",
  key: "API key",
  keyHint: "Operators, viewers and diagnosticians have a key. It makes a session with the key's role.",
  enter: "Sign in",
  other: { password: "Use an API key instead", key: "Use the password instead" },
};
