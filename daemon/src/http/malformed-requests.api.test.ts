import { Agent, type IncomingMessage, request } from "node:http";
import { basePath } from "@portcullis/contract/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { document, expectConforming, operationFor } from "../../../testing/conformity.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { heapAfterCollection } from "../../../testing/memory.ts";
import { type Known, oneRequestEach, type FuzzRequest, fuzzRequests } from "../../../testing/requests.ts";
import { announceSeed } from "../../../testing/seed.ts";

const seed = announceSeed("strange requests");
const total = Number(process.env["STRANGE_REQUESTS"] ?? 3000);
/** Rare statuses and a slow growth of the heap show only in a long run. */
const isLong = total >= 20_000;
const atOnce = 16;
const bodyBytes = 200_000;
/** An answer that takes longer never comes. */
const hangMs = 120_000;

test("malformed requests: strange requests are all answered as the contract specifies", async () => {
  await using gateway = await startGateway({ config: { limits: { body_bytes: bodyBytes } } });
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const world = openWorld();
  const requests = generate(world.known);
  const covered = new Set<string | undefined>();
  const statuses = new Map<number, number>();
  let heapAfterThird = 0;
  let sent = 0;

  async function keepRequesting(): Promise<void> {
    while (sent < total) {
      sent += 1;
      if (isLong && sent === Math.floor(total / 3)) heapAfterThird = heapUsed(gateway);
      const it = requests.next().value!;
      const answer = await ask(gateway, agent, it);
      world.learn(it, answer);
      covered.add(operationFor(it.method, pathOf(it))?.operationId);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepRequesting));

  const grownBytes = isLong ? heapUsed(gateway) - heapAfterThird : 0;
  expect(grownBytes).toBeLessThan(20 << 20);
  expect((await gateway.request("GET", "/health")).status).toBe(200);
  // The requests covered every operation, and were not all refused by the server.
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect([...covered]).toEqual(expect.arrayContaining(operations.map(({ operationId }) => operationId)));
  const demanded = isLong ? [200, 201, 400, 401, 403, 404, 405, 409, 413, 415] : [200, 201, 400, 404];
  expect([...statuses.keys()]).toEqual(expect.arrayContaining(demanded));
  expect(statuses.get(200)).toBeGreaterThan(total / 4);
  expect(statuses.get(201)).toBeGreaterThan(total / 200);
  agent.destroy();
});

/** Generated as they are needed: the ids they speak of exist only by then. Random requests alone would miss an endpoint at times. */
function* generate(known: Known): Generator<FuzzRequest, undefined> {
  yield* oneRequestEach(known, seed);
  const arbitrary = fuzzRequests(known, bodyBytes);
  for (let batch = 0; ; batch += 1) yield* fc.sample(arbitrary, { numRuns: 50, seed: seed + batch });
}

/** Existing resources according to the responses: the last few of each kind, so that most references are valid. */
function openWorld() {
  const words = new Map<string, string[]>();
  const known = (path: string): readonly string[] => words.get(path) ?? [];
  const add = (path: string, word: string) => void words.set(path, [...known(path), word].slice(-8));
  const remove = (path: string, word: string) =>
    void words.set(
      path,
      known(path).filter((it) => it !== word),
    );
  return {
    known,
    learn: (it: FuzzRequest, { status, text, link }: Answer) => {
      const path = pathOf(it).slice(basePath.length);
      const cursor = /[?&]cursor=([^&>]+)/.exec(link)?.[1];
      if (cursor !== undefined) add(`${path}?cursor`, cursor);
      const { id } = (status <= 201 && text.startsWith("{") ? JSON.parse(text) : {}) as { id?: string };
      if (id === undefined) return;
      if (it.method === "POST") add(path, id);
      if (it.method === "DELETE") remove(path.replace(`/${id}`, ""), id);
    },
  };
}

const pathOf = ({ path }: FuzzRequest): string => path.split("?", 1)[0]!;

function heapUsed({ logged }: TestGateway): number {
  logged.length = 0;
  return heapAfterCollection();
}

/** Holds the answer against the contract. Says which request it was when something is wrong with it. */
async function ask({ origin, logged }: TestGateway, agent: Agent, it: FuzzRequest) {
  try {
    const answer = await send(origin, agent, it);
    const { status, text, type } = answer;
    if (status >= 500 && status !== 501)
      throw new Error(`${status} ${text}\n${logged.filter((line) => line.includes("unexpected failure")).join("")}`);
    if (type?.startsWith("text/event-stream")) return answer;
    expectConforming({ method: it.method, path: pathOf(it), status, contentType: type, body: text });
    return answer;
  } catch (cause) {
    const body = it.body === undefined ? "" : ` ${JSON.stringify(String(it.body).slice(0, 2000))}`;
    throw new Error(`${it.method} ${it.path} ${JSON.stringify(it.headers)}${body}`, { cause });
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string | null;
  readonly link: string;
}

function send(origin: string, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const requesting = request(`${origin}${path}`, { method, agent, headers: { ...headers, ...length } });
    const impatience = setTimeout(() => requesting.destroy(new Error("No answer came")), hangMs);
    const settle = (answer: IncomingMessage, text: string) => {
      clearTimeout(impatience);
      const { "content-type": type = null, link } = answer.headers;
      resolve({ status: answer.statusCode!, text, type, link: String(link) });
    };
    requesting.on("error", reject);
    requesting.on("response", (answer) => {
      if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
        settle(answer, "");
        return void answer.destroy();
      }
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => void chunks.push(chunk));
      answer.on("end", () => settle(answer, Buffer.concat(chunks).toString()));
      answer.on("error", reject);
    });
    requesting.end(body);
  });
}
