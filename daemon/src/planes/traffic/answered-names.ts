/** An answer of the gateway's resolver. */
interface Answer {
  readonly client: string;
  readonly name: string;
  readonly addresses: readonly string[];
}

export interface AnsweredNames {
  readonly learn: (answers: readonly Answer[]) => void;
  /** The name that this client resolved to this address last. */
  readonly nameOf: (client: string, address: string) => string | undefined;
}

/** Bounded: a client that resolves random names displaces old answers. */
const maxAnswers = 50_000;

/** Names by client and address: another client's name for a shared address is no evidence. */
export function answeredNames(): AnsweredNames {
  const names = new Map<string, string>();
  return {
    learn: (answers) => {
      for (const { client, name, addresses } of answers)
        for (const address of addresses) {
          const key = `${client} ${address}`;
          names.delete(key);
          names.set(key, name);
        }
      for (const key of names.keys()) {
        if (names.size <= maxAnswers) break;
        names.delete(key);
      }
    },
    nameOf: (client, address) => names.get(`${client} ${address}`),
  };
}
