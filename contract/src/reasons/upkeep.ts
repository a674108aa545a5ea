import type { ReasonTemplates } from "./template.ts";

/** How much of a resource is used, and what is wrong with a certificate. */
export const upkeepReasons = {
  resource_disk: {
    text: "{used} % of the disk of {folder} is used, {mebibytes} MiB are left",
    params: { used: "number", folder: "text", mebibytes: "number" },
  },
  resource_inodes: {
    text: "{used} % of the inodes of {folder} are used, {left} are left",
    params: { used: "number", folder: "text", left: "number" },
  },
  resource_memory: {
    text: "{used} % of the memory is used, {mebibytes} MiB are left",
    params: { used: "number", mebibytes: "number" },
  },
  resource_memory_limit: {
    text: "{used} % of the memory that the daemon's control group may use is used, {mebibytes} MiB are left",
    params: { used: "number", mebibytes: "number" },
  },
  resource_files: {
    text: "{used} % of the file handles of the daemon are used, {left} are left",
    params: { used: "number", left: "number" },
  },
  resource_machine_files: {
    text: "{used} % of the file handles of the machine are used, {left} are left",
    params: { used: "number", left: "number" },
  },
  resource_conntrack: {
    text: "{used} % of the connections that the kernel can track (nf_conntrack_max) are used, {left} are left",
    params: { used: "number", left: "number" },
  },
  resource_unknown: {
    text: "it is not known how much of {resource} is used: {why}",
    params: { resource: "text", why: "text" },
  },
  resources_sufficient: { text: "sufficient: {resources}", params: { resources: "reasons" } },
  resources_exhausted: {
    text: "nearly exhausted: {resources}. `portcullis platform` shows disk and memory of the machine",
    params: { resources: "reasons" },
  },
  resources_unknown: {
    text: "{resources}. `portcullis platform` shows disk and memory of the machine",
    params: { resources: "reasons" },
  },

  certificate_expiring: {
    text: "the certificate of {owners} ({subject}) expires at {at}",
    params: { owners: "texts", subject: "text", at: "time" },
  },
  certificate_expired: {
    text: "the certificate of {owners} ({subject}) expired at {at}",
    params: { owners: "texts", subject: "text", at: "time" },
  },
  certificate_refused: {
    text: "the certificate of {owners} ({subject}) has expired: its server was refused at {at}",
    params: { owners: "texts", subject: "text", at: "time" },
  },
  certificate_not_yet_valid: {
    text: "the certificate of {owners} ({subject}) is not valid before {at}",
    params: { owners: "texts", subject: "text", at: "time" },
  },
  certificate_unreadable: {
    text: "the certificate of {owner} cannot be read: {why}",
    params: { owner: "text", why: "text" },
  },
  certificate_files_unused: {
    text: "the API server keeps its earlier certificate, because the files of tls.cert_file and tls.key_file cannot be used: {why}",
    params: { why: "text" },
  },
  certificate_not_made: {
    text: "the gateway cannot renew its own certificate: {why}",
    params: { why: "text" },
  },
  certificates_valid: {
    text: "{certificates} certificates are valid; the next one to expire is that of {owners} ({subject}), at {at}",
    params: { certificates: "number", owners: "texts", subject: "text", at: "time" },
  },
  certificates_none: { text: "no certificate is in use" },
  certificates_attention: {
    text: "{troubles}. Replaced files of tls.cert_file and tls.key_file are used without a restart; `portcullis tunnels` lists the tunnels",
    params: { troubles: "reasons" },
  },
} as const satisfies ReasonTemplates;
