interface Named {
  readonly name: string;
  readonly about: string;
}
const known: Readonly<Record<string, Named>> = {
  webhook_url: { name: "Webhook URL", about: "Alerts are posted to it." },
  telegram_bot_token: {
    name: "Telegram bot token",
    about: "Of the bot that sends alerts. Write-only.",
  },
  telegram_chat_id: { name: "Telegram chat", about: "The chat that receives alerts." },
  ai_ollama_url: { name: "Local model URL", about: "Address of the local model runtime." },
  ai_default_model: { name: "Model", about: "The model that reviews proposals of the assistant." },
  node_id: { name: "Gateway ID", about: "Never changes." },
};

const plural = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const settings = {
  subtitle: "Settings, secrets and the bootstrap configuration",
  known,
  stored: "Settings",
  notSet: "not set",
  isSecret: "set, hidden",
  change: "Change",
  changeTitle: (name: string) => `Change ${name}`,
  value: "Value",
  secretHint: "The old value is not shown. A new value replaces it.",
  saved: (name: string) => `${name} saved`,
  unset: "Unset",
  unsetTitle: (name: string) => `Unset ${name}`,
  unsetDone: (name: string) => `${name} unset`,
  unsetSecret: (name: string) => `${name} is deleted permanently and must be entered again to be used.`,

  file: "Configuration file",
  fileText: "Read when the gateway starts. To change a key, edit the file and restart.",
  showFile: (count: number) => `Show ${plural(count, "key", "keys")}`,
  key: "Key",
  from: "Origin",
  sources: { bootstrap: "file", store: "stored here", default: "default" },
  meaning: "Meaning",
  empty: "empty",

  secrets: "Secrets",
  noSecrets: "No secrets. Passwords of tunnels and proxies are listed here.",
  name: "Name",
  about: "Description",
  purpose: "Used by",
  purposes: {
    stored: "programs, by its name",
    setting: "a setting",
    tunnel: "a tunnel",
    proxy: "a proxy",
    dns_extfilter: "the external filter",
    alert_channel: "an alert channel",
    mqtt: "the MQTT connection",
  },
  version: "Version",
  updated: "Changed",
  addSecret: "Add secret",
  addTitle: "Add secret",
  editTitle: (name: string) => `Change ${name}`,
  newValue: "New value",
  newValueHint: "Empty: keep the value",
  valueHint: "Write-only",
  keep: "Save",
  kept: (name: string) => `${name} saved`,
  removeTitle: (name: string) => `Remove ${name}`,
  removes: (name: string) => `Programs that use ${name} no longer get it. Its value cannot be restored.`,
  removed: (name: string) => `${name} removed`,

  sealed: (count: number) =>
    count === 0
      ? "Secrets are encrypted with a passphrase."
      : `${plural(count, "secret is", "secrets are")} encrypted with a passphrase.`,
  halfSealed: (sealed: number, all: number) => `${sealed} of ${plural(all, "secret", "secrets")} are encrypted.`,
  unsealed: (count: number) =>
    count === 0
      ? "Secrets are stored in plain text."
      : `${plural(count, "secret is", "secrets are")} stored on the disk in plain text.`,
  setPassphrase: "Set passphrase",
  passphrase: "Passphrase",
  passphraseHint: "Eight characters or more. Keep a copy: a restored backup cannot be read without it.",
  setTitle: "Change encryption passphrase",
  setText:
    "Every secret is decrypted and encrypted again with the new passphrase. If one cannot be decrypted, nothing changes.",
  seal: "Encrypt",
  sealedNow: "Secrets encrypted",
  clearPassphrase: "Remove passphrase",
  clearTitle: "Store secrets in plain text",
  clears: (count: number) =>
    `${count === 0 ? "Every secret is" : plural(count, "secret is", "secrets are")} then readable on the disk and in every copy of it.`,
  clearIt: "Store in plain text",
  cleared: "Secrets are stored in plain text",

  browser: "This browser",
  browserText: "Language and theme are stored in this browser. The session is a cookie that no script can read.",
  reset: "Reset both",
  resetDone: "Language and theme follow the system",

  gatewayItself: "About",
  product: "Version",
  build: "Build",
  uptime: "Uptime",
  node: "Gateway ID",
  revision: "Published revision",
  mode: "Network mode",
  docs: "API documentation",
  docsText: "Everything in this interface is also available through the API.",
};
