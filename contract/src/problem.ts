/** Every problem code of the API → HTTP status and default message. */
export const problems = {
  invalid_request: { status: 400, message: "The request does not match the contract" },
  invalid_json: { status: 400, message: "The body is not valid JSON in UTF-8" },
  unauthorized: { status: 401, message: "This needs a credential: a session cookie or a bearer key" },
  forbidden: { status: 403, message: "This credential or origin may not do that" },
  not_found: { status: 404, message: "There is nothing here" },
  method_not_allowed: { status: 405, message: "This path does not know that method" },
  request_timeout: { status: 408, message: "The request took too long to arrive" },
  conflict: { status: 409, message: "The change contradicts something that already exists" },
  policy_conflict: { status: 409, message: "Policies contradict each other" },
  in_use: { status: 409, message: "Other resources still refer to this one" },
  already_configured: { status: 409, message: "This was set up before and works only once" },
  limit_reached: { status: 409, message: "A limit is reached" },
  change_pending: { status: 409, message: "A change waits for its confirmation; confirm or revert it first" },
  payload_too_large: { status: 413, message: "The body is larger than this endpoint takes" },
  unsupported_media_type: { status: 415, message: "This endpoint does not take that content type or encoding" },
  rate_limited: { status: 429, message: "Too many requests; try again later" },
  secrets_undecipherable: { status: 500, message: "A stored secret cannot be decrypted with the passphrase at hand" },
  internal: { status: 500, message: "The gateway has a bug; its log has the request id" },
  not_supported: { status: 501, message: "This gateway cannot do that, or not yet" },
  engine_failed: { status: 502, message: "An engine refused the change" },
  engine_unavailable: { status: 503, message: "An engine does not answer, or the gateway is stopping" },
} as const satisfies Record<string, { status: number; message: string }>;

export type ProblemCode = keyof typeof problems;

export type Details = Readonly<Record<string, unknown>>;

/** An expected failure. Anything else that is thrown is a bug and answers `internal`. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly details: Details;

  /** `message` replaces the default message where the cause is known more exactly. */
  constructor(code: ProblemCode, details: Details = {}, options: ErrorOptions & { message?: string } = {}) {
    super(options.message ?? problems[code].message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** The wire form of a problem. */
export const envelope = ({ code, message, details }: Problem) => ({ error: { code, message, details } });
