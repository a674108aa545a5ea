/** Commands that the client handles without the API. */
export const localCommands = [
  { word: "setup", summary: "Set this machine up, step by step or with options" },
  { word: "login", summary: "Store an API key for the gateway of GATEWAY_ADDR, and accept its certificate" },
  { word: "logout", summary: "Remove the stored key and certificate of that gateway" },
  { word: "version", summary: "Version of this client and of the daemon" },
  { word: "help", summary: "Overview of all commands, or help about one kind" },
  { word: "completion", summary: "Completion script for a shell" },
  { word: "man", summary: "The manual page, as roff" },
] as const;
export type LocalCommand = (typeof localCommands)[number]["word"];

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];
