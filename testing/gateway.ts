import { readFileSync } from "node:fs";
import { join } from "node:path";
import { api, basePath, type GatewayApi } from "@portcullis/contract/api";
import { type Client, createClient } from "@portcullis/contract/client";
import { pino } from "pino";
import { parseBootstrap } from "../daemon/src/config/bootstrap.ts";
import { createGateway } from "../daemon/src/app/gateway.ts";
import { linux } from "../daemon/src/system/system.ts";
import { expectConforming } from "./conformity.ts";
import { temporaryFolder } from "./folder.ts";

/** A response whose text can be read repeatedly. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- responses were validated against the OpenAPI document
  json(): any;
}

export interface TestGateway {
  /** Without the API's base path. */
  readonly origin: string;
  readonly stateFolder: string;
  /** Reads the code that creates the first account from its file. */
  readonly setupCode: () => string;
  readonly client: Client<GatewayApi>;
  /** How often the gateway has requested for a restart with a changed bootstrap file. */
  readonly restarts: () => number;
  /** All log lines so far. */
  readonly logged: string[];
  /** `path` is relative to /api/v1, or absolute with a leading "//". Every response is validated against the OpenAPI document. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<Reply>;
  /** Stops the gateway and starts one on the same state, with another bootstrap file if `changed` is given. */
  restart(meanwhile?: (stateFolder: string) => void, changed?: Config): Promise<TestGateway>;
  /** The same with the bootstrap file that a test has written. */
  reopen(): Promise<TestGateway>;
  readonly file: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Config = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Options {
  /** Keys of the bootstrap file, by section. */
  readonly config?: Config;
  readonly now?: () => Date;
  readonly folder?: ReturnType<typeof temporaryFolder>;
  /** Whether the bootstrap file in the folder is used as it is, and can be changed by the setup; `config` is ignored then. */
  readonly keepsFile?: boolean;
  /** Folder of the built web interface. */
  readonly webFolder?: string | undefined;
}

/** A complete gateway in this process, with its own port and state folder. */
export async function startGateway({
  config = {},
  now = () => new Date(),
  folder = temporaryFolder(),
  keepsFile = false,
  webFolder,
}: Options = {}): Promise<TestGateway> {
  const logged: string[] = [];
  const file = join(folder.path, "portcullis.yaml");
  const parsed = parseBootstrap(keepsFile ? readFileSync(file, "utf8") : bootstrapText(config), file);
  if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
  const log = pino({ level: "debug" }, { write: (line: string) => void logged.push(line) });
  let restarts = 0;
  const restarting = keepsFile ? { file, restart: () => void restarts++ } : undefined;
  const gateway = await createGateway({
    ...parsed,
    restarting,
    system: linux,
    log,
    now,
    webFolder,
    checkAnswers: true,
  });
  const origin = await gateway.listen();

  async function request(method: string, path: string, { body, headers = {} }: RequestOptions = {}): Promise<Reply> {
    const target = path.startsWith("//") ? path.slice(1) : `${basePath}${path}`;
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${origin}${target}`, {
      method,
      headers: { ...type, ...headers },
      redirect: "manual",
      ...sent,
    });
    const text = await response.text();
    expectConforming({
      method,
      path: target.split("?", 1)[0]!,
      status: response.status,
      contentType: response.headers.get("content-type"),
      body: text,
    });
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  }
  const client = createClient(api, async ({ method, url, body, type, accept }) => {
    const { status, headers, text } = await request(method, url, {
      ...(body !== undefined && { body }),
      ...(type !== undefined && { headers: { "content-type": type } }),
    });
    return { status, body: accept ? text : JSON.parse(text), header: (name) => headers.get(name) };
  });
  return {
    origin,
    file,
    stateFolder: join(folder.path, "state"),
    setupCode: () => readFileSync(join(folder.path, "state", "setup-code"), "utf8").trim(),
    client,
    logged,
    request,
    restarts: () => restarts,
    restart: async (meanwhile = () => {}, changed = config) => {
      await gateway.close();
      meanwhile(join(folder.path, "state"));
      return startGateway({ config: changed, now, folder, webFolder });
    },
    reopen: async () => {
      await gateway.close();
      return startGateway({ now, folder, webFolder, keepsFile: true });
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close().catch(() => {}); // After a restart it is closed already.
      folder[Symbol.dispose]();
    },
  };
}

/** JSON is YAML. Limits are too high to matter unless `config` sets them. */
export function bootstrapText(config: Config): string {
  const defaults: Config = {
    listen: { api_addr: "127.0.0.1:0" },
    paths: { state: "./state", run: "./run" },
    dataplane: { enabled: false },
    limits: { requests_per_minute: 1_000_000, logins_per_minute: 10_000 },
  };
  const sections = new Set([...Object.keys(defaults), ...Object.keys(config)]);
  return JSON.stringify(
    Object.fromEntries([...sections].map((name) => [name, { ...defaults[name], ...config[name] }])),
  );
}
