interface Named {
  readonly name: string;
  readonly about: string;
}
const known: Readonly<Record<string, Named>> = {
  webhook_url: { name: "Address for alerts", about: "Alerts are posted there." },
  telegram_bot_token: {
    name: "Telegram bot token",
    about: "Of the bot that sends alerts. It goes in and never comes out.",
  },
  telegram_chat_id: { name: "Telegram chat", about: "The chat that receives alerts." },
  ai_ollama_url: { name: "Local model", about: "Where the local model runtime listens." },
  ai_default_model: { name: "Model", about: "The model that checks what the assistant proposes." },
  pq_crypto_mode: {
    name: "Post-quantum keys",
    about: "For connections the gateway makes: keys that outlast quantum computers.",
  },
  node_id: { name: "Id of this gateway", about: "Stays the same for good." },
};
const choices: Readonly<Record<string, string>> = {
  default: "as usual",
  preferred: "where possible",
  required: "always",
};

const plural = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const settings = {
  subtitle: "What holds for the whole gateway?",
  known,
  choices,
  stored: "Settings",
  notSet: "not set",
  isSecret: "set, never shown",
  change: "Change",
  changeTitle: (name: string) => `Change ${name}`,
  value: "Value",
  secretHint: "The old value is not shown. What is entered replaces it.",
  saved: (name: string) => `${name} is changed`,
  unset: "Unset",
  unsetTitle: (name: string) => `Unset ${name}`,
  unsetDone: (name: string) => `${name} is not set any more`,
  unsetSecret: (name: string) => `${name} is gone for good: nothing sends with it until a new one is entered.`,

  file: "In the configuration file",
  fileSays: "These hold from the start on. They are changed in the file, and a restart takes them up.",
  showFile: (count: number) => `Show ${plural(count, "key", "keys")}`,
  key: "Key",
  from: "From",
  sources: { bootstrap: "the file", store: "here", default: "default" },
  meaning: "Meaning",
  empty: "empty",

  secrets: "Secrets",
  noSecrets: "No secret is kept. Passwords of tunnels and proxies come here by themselves.",
  name: "Name",
  about: "What it opens",
  purpose: "Used by",
  purposes: {
    stored: "whoever asks by its name",
    setting: "a setting",
    tunnel: "a tunnel",
    proxy: "a proxy",
    dns_extfilter: "the external filter",
  },
  version: "Version",
  updated: "Changed",
  addSecret: "Keep a secret",
  addTitle: "Keep a secret",
  editTitle: (name: string) => `Change ${name}`,
  newValue: "New value",
  newValueHint: "Left empty: the value stays",
  valueHint: "Goes in, never comes out",
  keep: "Keep it",
  kept: (name: string) => `${name} is kept`,
  removeTitle: (name: string) => `Remove ${name}`,
  removes: (name: string) =>
    `Whatever asks for ${name} gets nothing from then on. Its value cannot be brought back from here.`,
  removed: (name: string) => `${name} is removed`,

  sealed: (count: number) =>
    count === 0
      ? "Secrets are sealed with a passphrase."
      : `${plural(count, "secret is", "secrets are")} sealed with a passphrase.`,
  halfSealed: (sealed: number, all: number) => `${sealed} of ${plural(all, "secret", "secrets")} are sealed.`,
  unsealed: (count: number) =>
    count === 0
      ? "Secrets are kept in plain text."
      : `${plural(count, "secret lies", "secrets lie")} on the disk in plain text.`,
  setPassphrase: "Set a passphrase",
  passphrase: "Passphrase",
  passphraseHint: "Eight characters or more. Keep it elsewhere too: without it a restored copy stays closed.",
  setTitle: "Seal the secrets anew",
  setSays:
    "Every secret is opened and sealed again under the new passphrase. If one cannot be opened, nothing changes.",
  seal: "Seal",
  sealedNow: "The secrets are sealed anew",
  clearPassphrase: "Take it off",
  clearTitle: "Keep secrets in plain text",
  clears: (count: number) =>
    `${count === 0 ? "Every secret lies" : plural(count, "secret lies", "secrets lie")} readable on the disk from then on, and in each copy of it.`,
  clearIt: "Keep them in plain text",
  cleared: "The secrets are in plain text",

  browser: "This browser",
  browserSays: "Kept here alone: the language and the theme. The session is a cookie that no script can read.",
  reset: "Forget both",
  forgotten: "This browser follows its system again",

  gatewayItself: "About",
  product: "Version",
  build: "Build",
  uptime: "Running for",
  node: "Id of this gateway",
  revision: "Published revision",
  mode: "Place in the network",
  docs: "API documentation",
  docsSays: "Everything this interface does, programs can do too.",
};
