import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type Built, type Lists, type ListsOptions, openLists } from "../daemon/src/engines/lists/lists.engine.ts";
import type { WantedList } from "../daemon/src/engines/lists/lists.model.ts";
import { perform } from "../daemon/src/engines/lists/tasks.ts";
import { linux } from "../daemon/src/system/system.ts";
import { temporaryFolder } from "./folder.ts";

export const thousandNames = Array.from({ length: 1000 }, (_, n) => `name${n}.example\n`).join("");

export const fromUrl = (url: string): WantedList => ({
  id: "one",
  bit: 0,
  format: "auto",
  action: "block",
  source: { kind: "url", url, allowPrivate: true, refreshSec: 3600 },
});

export interface Opened {
  readonly lists: Lists;
  readonly built: readonly Built[];
  readonly problems: readonly string[];
}

export function openTestLists(options: Partial<ListsOptions> = {}): Opened {
  const folder = temporaryFolder();
  const built: Built[] = [];
  const problems: string[] = [];
  const lists = openLists({
    system: linux,
    folder: folder.path,
    fileFolder: folder.path,
    ownNames: ["gateway.home.example"],
    pqMode: () => "default",
    onBuilt: (it) => void built.push(it),
    onProblem: (it) => problems.push(it),
    work: perform,
    ...options,
  });
  onTestFinished(async () => {
    await lists.close();
    folder[Symbol.dispose]();
  });
  return { lists, built, problems };
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function serveList(answer: Answer) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests, close };
}

export function cutShort(response: ServerResponse): void {
  response.writeHead(200, { "content-length": 100_000 });
  response.write(thousandNames, () => response.destroy());
}
