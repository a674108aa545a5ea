const verbs: Readonly<Record<string, string>> = {
  create: "Added",
  update: "Changed",
  delete: "Removed",
  import: "Imported",
  toggle: "Switched",
  up: "Switched on",
  down: "Switched off",
  block: "Blocked",
  allow: "Allowed",
  learn: "Learned",
};
const nouns: Readonly<Record<string, string>> = {
  device: "a device",
  device_group: "a group",
  trust_class: "a trust class",
  privacy_class: "a privacy class",
  tunnel: "a tunnel",
  proxy: "a proxy",
  bridge: "a bridge",
  vlan: "a VLAN",
  profile: "a profile",
  chain: "a chain",
  dns_domains: "domains",
  setting: "a setting",
  settings: "settings",
  secret: "a secret",
  wan_uplinks: "the uplinks",
};
const whole: Readonly<Record<string, string>> = {
  apply_routing_policies: "Applied staged changes",
  apply_configuration: "Applied a document",
  import_configuration: "Imported a document",
  rollback_snapshot: "Restored a snapshot",
  revert_change: "Reverted a change",
};
const reasons: Readonly<Record<string, string>> = {
  requested: "on request",
  "not confirmed in time": "it was not confirmed in time",
};

interface PlanCounts {
  readonly create: number;
  readonly change: number;
  readonly delete: number;
  readonly unchanged: number;
}

export const changes = {
  subtitle: "Pending changes, history and rollback",
  staged: "Staged",
  nothingStaged: "Nothing is staged.",
  toRouting: "Go to Routing",
  stopsApply: "These problems prevent an apply:",
  stop: (names: readonly string[], message: string) => `${names.map((name) => `“${name}”`).join(", ")}: ${message}`,
  window: "Revert automatically after",
  windows: { "30": "30 seconds", "120": "2 minutes", "600": "10 minutes", "3600": "1 hour" },
  tryFor: (window: string) => `Try for ${window}`,
  apply: "Apply",
  applyHint: "A trial reverts by itself unless you keep it, so you cannot lock yourself out permanently.",
  discard: "Discard",
  discardOne: (name: string) => `Discard the change of ${name}`,
  discarded: (name: string) => `Change of ${name} discarded`,
  discardedAsNew: (name: string) => `${name} was created again with the same settings`,
  discardAll: "Discard all",
  discardAllTitle: "Discard all staged changes",
  discardAllText: (count: number) =>
    count === 1
      ? "1 staged change is discarded. The current configuration stays in force."
      : `${count} staged changes are discarded. The current configuration stays in force.`,
  discardAllAction: (count: number) => (count === 1 ? "Discard 1 change" : `Discard ${count} changes`),
  discardedAll: "Staged changes discarded",
  trial: "On trial",
  trialLeft: (time: string) => `Reverts in ${time} unless you keep it.`,
  trialBy: (actor: string) => `Started by ${actor}.`,
  history: "History",
  noHistory: "No snapshots yet.",
  compareTwo: "Compare snapshots",
  when: "When",
  what: "Change",
  who: "User",
  changed: "Changes",
  note: "Note",
  actions: "Actions",
  number: (id: string) => `#${id}`,
  changedCount: (count: number) => (count === 1 ? "1 change" : `${count} changes`),
  runs: "current",
  pinned: "pinned",
  reverted: "reverted",
  revertOf: (number: string, reason: string) => `Reverted #${number}: ${reason}`,
  anonymous: "anonymous client",
  system: "the gateway",
  cause: { verbs, nouns, whole },
  reasons,
  compareCurrent: "Compare with current",
  compareBefore: "Show changes",
  pin: "Pin",
  unpin: "Unpin",
  pinDone: "Pinned: this snapshot is never deleted automatically",
  unpinDone: "Unpinned",
  writeNote: "Edit note",
  noteTitle: (number: string) => `Note for snapshot #${number}`,
  noteLabel: "Note",
  noteDone: "Note saved",
  rollback: "Restore",
  compareTitle: "Compare snapshots",
  from: "From",
  to: "To",
  current: "current configuration",
  rollbackTitle: (number: string) => `Restore snapshot #${number}`,
  rollbackText: (count: number) =>
    count === 0 ? "No difference from the current configuration." : count === 1 ? "1 change:" : `${count} changes:`,
  rollbackStaged: (count: number) =>
    count === 1 ? "The staged change is discarded." : `The ${count} staged changes are discarded.`,
  rollbackAction: "Restore",
  rollbackTry: (window: string) => `Restore for ${window}`,
  rolledBack: (number: string) => `Snapshot #${number} restored`,
  rolledBackExcept: (number: string, excluded: number) =>
    `Snapshot #${number} restored, except ${excluded === 1 ? "one resource" : `${excluded} resources`} that only an administrator may change`,
  forGood: "never",
  document: "Configuration as a document",
  documentText:
    "All settings by name in one YAML or JSON document, for a version control system or another gateway. An export contains no secrets.",
  exportDocument: "Download the configuration",
  documentLabel: "Document",
  documentHint: "Sections that are missing stay as they are",
  chooseDocument: "Choose a file",
  preview: "Preview",
  prune: "Delete what earlier documents of this owner contained and this one does not",
  planCounts: (plan: PlanCounts) =>
    `${plan.create} to create, ${plan.change} to change, ${plan.delete} to delete, ${plan.unchanged} unchanged`,
  planOwner: (adopted: number, released: number) =>
    `The owner gets ${adopted === 1 ? "1 resource" : `${adopted} resources`} and loses ${released === 1 ? "1" : `${released}`}; not on trial.`,
  planNothing: "The gateway already is as the document says.",
  planAlong: (count: number) =>
    count === 1
      ? "1 change that was staged before is published with it."
      : `${count} changes that were staged before are published with it.`,
  documentApplied: "Document applied",
  waitForTrial: "Keep or revert the change on trial first.",
};
