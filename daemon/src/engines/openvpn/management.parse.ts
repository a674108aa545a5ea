/** A line of OpenVPN's management socket. */
export type ManagementMessage =
  | {
      readonly kind: "state";
      readonly state: string;
      readonly detail: string;
      readonly endpoint: string | null;
      /** Assigned by the server; present once it is connected. */
      readonly addresses: readonly string[];
      readonly atMs: number;
    }
  | { readonly kind: "bytes"; readonly rxBytes: number; readonly txBytes: number }
  /** It waits for the answer. */
  | { readonly kind: "password-request"; readonly about: string }
  | { readonly kind: "refused"; readonly what: string }
  /** It waits for a release. */
  | { readonly kind: "held" }
  | { readonly kind: "fatal"; readonly text: string }
  | { readonly kind: "other" };

export function parseMessage(line: string): ManagementMessage {
  const text = line.trimEnd();
  // Events have a prefix; answers to the `state` command have none.
  const state = /^(?:>STATE:)?(\d+,[A-Z_]+,[^,]*,[^,]*,[^,]*,.*)$/.exec(text)?.[1]?.split(",");
  if (state) {
    const [seconds, name = "", detail = "", inner4 = "", address = "", port = "", , , inner6 = ""] = state;
    const endpoint = address === "" ? null : `${address.includes(":") ? `[${address}]` : address}:${port}`;
    const addresses = [inner4, inner6].filter((it) => it !== "");
    return { kind: "state", state: name, detail, endpoint, addresses, atMs: Number(seconds) * 1000 };
  }
  const [, rx, tx] = /^>BYTECOUNT:(\d+),(\d+)$/.exec(text) ?? [];
  if (rx !== undefined) return { kind: "bytes", rxBytes: Number(rx), txBytes: Number(tx) };
  const requested = /^>PASSWORD:Need '([^']*)'/.exec(text)?.[1];
  if (requested !== undefined) return { kind: "password-request", about: requested };
  const refused = /^>PASSWORD:Verification Failed: '([^']*)'/.exec(text)?.[1];
  if (refused !== undefined) return { kind: "refused", what: refused };
  if (text.startsWith(">HOLD:")) return { kind: "held" };
  if (text.startsWith(">FATAL:")) return { kind: "fatal", text: text.slice(">FATAL:".length) };
  return { kind: "other" };
}

/** The state of a client, from its messages. */
export interface Status {
  /** As OpenVPN names it; empty before the first message. */
  readonly state: string;
  readonly detail: string;
  readonly endpoint: string | null;
  /** Its own addresses inside the tunnel, as the server assigned them when it was last connected. */
  readonly addresses: readonly string[];
  readonly connectedAtMs: number | null;
  readonly rxBytes: number;
  readonly txBytes: number;
  /** When it last reported the two, on the wall clock. */
  readonly countedAtMs: number | null;
  /** What it requests, such as `Auth`. */
  readonly passwordRequest: string | null;
  /** Rejected logins in a row. */
  readonly rejections: number;
  readonly isHeld: boolean;
  readonly fatal: string | null;
}

export const initialStatus: Status = {
  state: "",
  detail: "",
  endpoint: null,
  addresses: [],
  connectedAtMs: null,
  rxBytes: 0,
  txBytes: 0,
  countedAtMs: null,
  passwordRequest: null,
  rejections: 0,
  isHeld: false,
  fatal: null,
};

export function statusAfter(status: Status, message: ManagementMessage, wallMs: number): Status {
  switch (message.kind) {
    case "state": {
      const { state, detail, endpoint, addresses, atMs } = message;
      const isConnected = state === "CONNECTED";
      return {
        ...status,
        state,
        detail,
        endpoint: endpoint ?? status.endpoint,
        addresses: isConnected ? addresses : status.addresses,
        connectedAtMs: isConnected ? atMs : status.connectedAtMs,
        rejections: isConnected ? 0 : status.rejections,
        isHeld: false,
      };
    }
    case "bytes":
      return { ...status, rxBytes: message.rxBytes, txBytes: message.txBytes, countedAtMs: wallMs };
    case "password-request":
      return { ...status, passwordRequest: message.about };
    case "refused":
      return { ...status, rejections: status.rejections + 1 };
    case "held":
      return { ...status, isHeld: true };
    case "fatal":
      return { ...status, fatal: message.text };
    case "other":
      return status;
  }
}
