import type { Entity } from "./entities.ts";
import type { Topics } from "./topics.ts";

/** An open connection to a broker. */
export interface Connection {
  /** Resolves when the broker has accepted the message. */
  readonly publish: (topic: string, payload: string, retain: boolean) => Promise<void>;
  readonly subscribe: (filter: string) => Promise<void>;
  readonly ended: Promise<Error>;
  readonly close: () => void;
}

/** How the gateway leaves: its entities stay and become unavailable, or they are removed. */
export type Leaving = "offline" | "removed";

interface Needs {
  readonly topics: Topics;
  readonly read: () => Promise<readonly Entity[]>;
  readonly open: (onMessage: (topic: string, payload: string, isRetained: boolean) => void) => Promise<Connection>;
  /** By their topic. Without any, the gateway accepts no command. */
  readonly commands: ReadonlyMap<string, (payload: string) => void>;
  /** Called when the broker has everything, and after each further publication. */
  readonly onCurrent: (entities: readonly Entity[]) => void;
}

/** One connection: publishes everything, then what changes. */
export async function openSession({ topics, read, open, commands, onCurrent }: Needs) {
  const published = new Map<string, string>();
  /** Configurations that the broker has kept from earlier connections. */
  const kept = new Set<string>();
  const connection = await open((topic, payload, isRetained) => {
    const command = commands.get(topic);
    // A retained command would have its effect again with each connection.
    if (command) return isRetained ? undefined : command(payload);
    if (payload !== "") kept.add(topic);
  });
  let entities: readonly Entity[] = [];

  const put = async (topic: string, payload: string): Promise<void> => {
    await connection.publish(topic, payload, true);
    published.set(topic, payload);
  };
  /** An empty message removes a retained one. */
  const remove = async (topic: string): Promise<void> => {
    await connection.publish(topic, "", true);
    published.delete(topic);
  };
  /** Before the answer to the subscription or soon after it the broker sends what it has kept. */
  async function removeStale(wanted: ReadonlyMap<string, string>): Promise<void> {
    const stale = [...kept].filter((it) => !wanted.has(it));
    kept.clear();
    for (const topic of stale.flatMap(topics.ofEntity)) await remove(topic);
  }

  async function refresh(): Promise<void> {
    entities = await read();
    const wanted = topics.contentsOf(entities);
    for (const [topic, payload] of wanted) if (published.get(topic) !== payload) await put(topic, payload);
    for (const topic of published.keys()) if (topic !== topics.availability && !wanted.has(topic)) await remove(topic);
    await removeStale(wanted);
    if (published.get(topics.availability) !== "online") await put(topics.availability, "online");
    onCurrent(entities);
  }

  async function leave(how: Leaving): Promise<void> {
    await put(topics.availability, "offline");
    if (how === "removed") {
      for (const topic of published.keys()) await remove(topic);
      await removeStale(new Map());
    }
  }

  try {
    await connection.subscribe(topics.configs);
    for (const topic of commands.keys()) await connection.subscribe(topic);
  } catch (error) {
    connection.close();
    throw error;
  }
  return { refresh, leave, ended: connection.ended, close: connection.close };
}

export type Session = Awaited<ReturnType<typeof openSession>>;
