import type { ReasonTemplates } from "./template.ts";

/** What an import left out of a tunnel's file, or changed. */
export const tunnelFileReasons = {
  import_left_out: { text: "{directive} is left out: {why}", params: { directive: "text", why: "reason" } },
  left_out_routes: { text: "the gateway decides which packets enter the tunnel" },
  left_out_dns: { text: "the gateway decides how DNS is resolved" },
  left_out_interface: { text: "the gateway creates the interface" },
  left_out_process: { text: "the gateway decides how the process runs" },
  left_out_log: { text: "the gateway decides what is logged" },
  left_out_management: { text: "the gateway controls the process itself" },
  left_out_hardware: { text: "it would send information about the gateway's hardware to the server" },
  left_out_obsolete: { text: "it is not needed any more since OpenVPN 2.6" },
  left_out_tls_client: { text: "every tunnel is a TLS client" },
  left_out_no_program: { text: "no program is run" },
  left_out_client_default: { text: "it is the default of a client" },
  left_out_no_prompt: { text: "no user can be prompted" },
  left_out_unread: { text: "no program reads it" },
  left_out_marks: { text: "the gateway marks the tunnel's packets itself" },
  left_out_saved: { text: "only the gateway changes the tunnel" },
  left_out_phones: { text: "it is for phones" },
  import_optional: { text: "line {line} is left out: the file declares it as optional", params: { line: "number" } },
  import_in_connection: {
    text: "line {line} is left out: in <connection> only the remote is used",
    params: { line: "number" },
  },
  import_compresses: {
    text: "{directive} compresses, which can leak information about the content to an observer",
    params: { directive: "text" },
  },
  import_repeated: {
    text: "line {line} repeats {what}; the last one is used",
    params: { line: "number", what: "text" },
  },
  import_merged: { text: "line {line} repeats [Interface]; both are merged", params: { line: "number" } },
  import_peer_repeated: { text: "line {line} repeats a peer; the last section is used", params: { line: "number" } },
  import_no_password: { text: "the block <auth-user-pass> has no password; give username and password separately" },
  import_forced: {
    text: "only the remotes with {protocol} are used, because of proto-force",
    params: { protocol: "text" },
  },
  import_no_key: { text: "the file has no {key}; give it separately", params: { key: "text" } },
  import_server_unchecked: {
    text: "the type of the server's certificate is not checked: any certificate of the same <ca> could impersonate the server. Add `remote-cert-tls server`",
  },
  import_search_domains: { text: "DNS search domains are not supported and are left out" },
  import_nothing_allowed: { text: "no peer has AllowedIPs, so that no packet can enter the tunnel" },
  import_needs_credentials: { text: "the server requires username and password; give both" },
} as const satisfies ReasonTemplates;
