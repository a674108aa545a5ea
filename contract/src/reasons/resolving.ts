import type { ReasonTemplates } from "./template.ts";

/** What is wrong with a list, and the steps by which a query is answered. */
export const resolvingReasons = {
  lists_off: { text: "lists are not read: {why}", params: { why: "reason" } },
  list_not_uploaded: { text: "nothing was uploaded yet" },
  list_not_text: { text: "the content is not text" },
  list_is_page: { text: "the content is a web page, not a list" },
  list_empty: { text: "the list has no names" },
  list_shrunk: {
    text: "the list has {entries} names instead of {before}; refresh it to accept that",
    params: { entries: "number", before: "number" },
  },
  list_too_large: { text: "it has more than {megabytes} MB", params: { megabytes: "number" } },
  list_file_missing: { text: "there is no file of this name in {folder}", params: { folder: "text" } },
  download_status: { text: "the server answers {status}", params: { status: "text" } },
  download_slow: { text: "it took longer than {limit_ms}", params: { limit_ms: "ms" } },
  download_redirected: { text: "it is redirected more than {limit} times", params: { limit: "number" } },
  download_downgraded: { text: "it is redirected to an open connection" },
  download_packed: { text: "it is packed by {encoding}, which was not requested", params: { encoding: "text" } },
  download_no_url: { text: "{url} is no URL", params: { url: "text" } },
  download_protocol: { text: "only http and https are supported" },
  download_password: { text: "a URL with a password is not fetched" },
  download_inside: { text: "it leads to an address that is not on the Internet; such a list needs allow_private" },

  trace_egress: { text: "the query would leave by {egress}: {why}", params: { egress: "text", why: "reason" } },
  trace_exception: { text: "an exception ({type}) holds", params: { type: "text" } },
  trace_unfiltered: { text: "nothing is filtered: filtering is switched off" },
  trace_paused: { text: "a pause applies to this client" },
  trace_unmatched: { text: "no rule and no list matches it" },
  trace_allowed: { text: "it is allowed, whatever other rules and lists match it" },
  trace_blocked: { text: "it is blocked: the answer is NXDOMAIN" },
  trace_rewritten: { text: "a rewrite answers it" },
  trace_zone: { text: "{zone} is a local zone, which answers it", params: { zone: "text" } },
  trace_conditional: { text: "names in {domain} have resolvers of their own", params: { domain: "text" } },
  trace_no_upstream: { text: "there is no upstream resolver" },
  trace_policy: {
    text: "the policy for {domain} decides where its addresses are sent",
    params: { domain: "text" },
  },
  trace_no_resolver: { text: "no resolver runs: {why}", params: { why: "reason" } },
} as const satisfies ReasonTemplates;
