import { because, reported, sentence } from "@portcullis/contract/reason";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { ServerResponse } from "node:http";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { type Answer, cutShort, fromUrl, openTestLists, serveList, thousandNames } from "../../../../testing/lists.ts";
import type { PqMode } from "../../net/key-exchange.ts";
import type { Built } from "./lists.engine.ts";
import type { WantedList } from "./lists.model.ts";
import type { Limits } from "./fetch.ts";
import { perform } from "./tasks.ts";

describe("a list on a server", () => {
  test("is fetched, built, and requested again with its ETag", async () => {
    const { url, requests } = await serveList((request, response) => {
      if (request.headers["if-none-match"] === '"1"') return response.writeHead(304).end();
      return response.setHeader("etag", '"1"').end("ads.example\n*.cdn.example\n");
    });
    const { lists, built } = openTestLists();
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ id: "one", entries: 2, skipped: 0, problem: null }]);
    expect(lists.lookup("ads.example")).toEqual({ exact: 1, below: 1, allowExact: 0, allowBelow: 0 });
    expect(lists.lookup("cdn.example")).toEqual({ exact: 0, below: 1, allowExact: 0, allowBelow: 0 });
    expect(lists.lookup("other.example")).toBeUndefined();
    await lists.refresh("one");
    await lists.whenIdle();
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"']);
    expect(built).toHaveLength(1);
  });

  test("is requested with its date if it has no ETag", async () => {
    const { url, requests } = await serveList((_, response) =>
      response.setHeader("last-modified", "Thu, 12 Nov 2026 10:00:00 GMT").end("ads.example\n"),
    );
    const { lists, built } = openTestLists();
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    await lists.refresh("one");
    await lists.whenIdle();
    expect(requests.at(-1)?.headers["if-modified-since"]).toBe("Thu, 12 Nov 2026 10:00:00 GMT");
    // The server sent it once more all the same; the same text makes no other file.
    expect(built).toHaveLength(1);
  });

  test("is followed to where it has moved", async () => {
    const { url } = await serveList((request, response) =>
      request.url === "/" ? response.writeHead(302, { location: "/there" }).end() : response.end("ads.example\n"),
    );
    const { lists } = openTestLists();
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ entries: 1, problem: null }]);
  });

  test("that leads into the network is not fetched before an admin allows it", async () => {
    const { url, requests } = await serveList((_, response) => response.end("ads.example\n"));
    const list = fromUrl(url);
    const { lists } = openTestLists();
    lists.want([{ ...list, source: { kind: "url", url, allowPrivate: false, refreshSec: 3600 } }]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ entries: 0, problem: because("download_inside") }]);
    expect(requests).toHaveLength(0);
    lists.want([list]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ entries: 1, problem: null }]);
  });

  test("may be packed", async () => {
    const { url } = await serveList((_, response) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync("ads.example\n")),
    );
    const { lists } = openTestLists();
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ entries: 1, problem: null }]);
  });

  test.each<[what: string, nonsense: Answer, problem: RegExp, limitMs?: number]>([
    ["fails", (_, response) => response.writeHead(500).end("oh"), /answers 500/],
    ["is a web page", (_, response) => response.end("\n<!DOCTYPE html><p>Please log in"), /web page/],
    ["is no text", (_, response) => response.end(Buffer.from([1, 0, 2])), /not text/],
    ["has no name in it", (_, response) => response.end("# nothing\n"), /no name/],
    ["is nearly empty", (_, response) => response.end("ads.example\n"), /1 names instead of 1000/],
    ["ends too early", (_, response) => cutShort(response), /closed|terminated|aborted/],
    [
      "says it is too large",
      (_, response) => response.writeHead(200, { "content-length": 1 << 30 }).write("a"),
      /more than/,
    ],
    ["is too large", (_, response) => response.end("b.example\n".repeat(200_000)), /more than 1 MB/],
    [
      "is too large once it is unpacked",
      (_, response) => response.setHeader("content-encoding", "gzip").end(gzipSync("b.example\n".repeat(200_000))),
      /more than 1 MB/,
    ],
    ["never ends", (_, response) => response.write("ads.example\n"), /longer than 1\.0 s/, 1000],
    ["never begins", () => {}, /longer than 1\.0 s/, 1000],
    ["moves in circles", (_, response) => response.writeHead(302, { location: "/again" }).end(), /more than 5 times/],
    ["moves to a file", (_, response) => response.writeHead(302, { location: "file:///etc/hosts" }).end(), /Only http/],
  ])("that %s leaves what was read before in force", async (_, nonsense, problem, limitMs) => {
    let limits: Partial<Limits> = {};
    let answer: Answer = (__, response) => response.end(thousandNames);
    const { url } = await serveList((request, response) => answer(request, response));
    const clock = { now: 0 };
    const { lists, built } = openTestLists({
      limits: { maxBytes: 1 << 20 },
      work: async (task) => perform(task.kind === "read" ? { ...task, limits: { ...task.limits, ...limits } } : task),
      now: () => clock.now,
    });
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ entries: 1000, problem: null }]);
    answer = nonsense;
    if (limitMs !== undefined) limits = { limitMs };
    clock.now += 7200_000;
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    const [state] = lists.states();
    expect([state!.entries, state!.problem && sentence(state!.problem)]).toEqual([
      1000,
      expect.stringMatching(problem),
    ]);
    expect(lists.lookup("name7.example")?.exact).toBe(1);
    expect(built).toHaveLength(1);
  });

  test("that cannot be reached is reported, and retried soon", async () => {
    const { url, close } = await serveList(() => {});
    close();
    const clock = { now: 1e12 };
    const { lists } = openTestLists({ now: () => clock.now, chance: () => 0.5 });
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([
      {
        entries: 0,
        readAt: null,
        problem: { code: "reported", params: { message: expect.stringContaining("REFUSED") as string } },
      },
    ]);
  });

  test("that became short is accepted on a manual refresh", async () => {
    const texts = [thousandNames, "ads.example\n"];
    const { url } = await serveList((_, response) => response.end(texts.shift()));
    const { lists } = openTestLists();
    lists.want([fromUrl(url)]);
    await lists.whenIdle();
    expect(await lists.refresh("one")).toMatchObject({ entries: 1, problem: null });
  });

  test("is requested when its interval is over, and not before", async () => {
    const { url, requests } = await serveList((_, response) => response.end("ads.example\n"));
    const clock = { now: 1e12 };
    const { lists } = openTestLists({ now: () => clock.now, chance: () => 0.5 });
    for (const [waitMs, requested] of [
      [0, 1],
      [3_500_000, 1],
      [200_000, 2],
    ] as const) {
      clock.now += waitMs;
      lists.want([fromUrl(url)]);
      await lists.whenIdle();
      expect(requests).toHaveLength(requested);
    }
  });
});

describe("a list on the gateway", () => {
  test("is read again when the file is another, and survives it", async () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/mine.hosts`;
    writeFileSync(path, "0.0.0.0 ads.example\n");
    const { lists } = openTestLists({ fileFolder: folder.path });
    const mine: WantedList = { ...fromUrl(""), source: { kind: "file", path: "mine.hosts" } };
    lists.want([mine]);
    await lists.whenIdle();
    expect(lists.lookup("ads.example")).toMatchObject({ exact: 1, below: 0 });
    writeFileSync(path, "0.0.0.0 other.example third.example\n");
    lists.want([mine]);
    await lists.whenIdle();
    expect(lists.lookup("ads.example")).toBeUndefined();
    rmSync(path);
    lists.want([mine]);
    await lists.whenIdle();
    expect(lists.states()).toMatchObject([{ entries: 2, problem: { code: "list_file_missing" } }]);
    expect(lists.lookup("third.example")).toMatchObject({ exact: 1 });
  });

  test("is not read from outside its folder, and nothing outside is revealed", async () => {
    using folder = temporaryFolder();
    using outside = temporaryFolder();
    mkdirSync(`${folder.path}/below`);
    writeFileSync(`${folder.path}/below/mine.txt`, "mine.example\n");
    writeFileSync(`${outside.path}/theirs.txt`, "theirs.example\n");
    symlinkSync(`${outside.path}/theirs.txt`, `${folder.path}/link`);
    symlinkSync(`${outside.path}/missing.txt`, `${folder.path}/dangling`);
    symlinkSync(outside.path, `${folder.path}/folder`);
    symlinkSync("/dev/zero", `${folder.path}/device`);
    symlinkSync("below/mine.txt", `${folder.path}/inner-link`);
    const { lists } = openTestLists({ fileFolder: folder.path });
    const stateOf = async (path: string) => {
      lists.want([{ ...fromUrl(""), source: { kind: "file", path } }]);
      await lists.whenIdle();
      return lists.states()[0]!;
    };
    for (const path of ["below/mine.txt", "inner-link"])
      expect(await stateOf(path)).toMatchObject({ entries: 1, problem: null });
    const climbing = `../${basename(outside.path)}/theirs.txt`;
    const problems = new Set<string>();
    for (const path of ["link", "dangling", "folder/theirs.txt", "device", "below", climbing, "/etc/hosts", "none"]) {
      const { entries, problem } = await stateOf(path);
      expect([path, entries]).toEqual([path, 0]);
      problems.add(problem ? sentence(problem) : "");
    }
    expect([...problems]).toEqual([`There is no file of this name in ${folder.path}`]);
  });
});

test("lists: each download has the mode of post-quantum key exchange of its time", async () => {
  const modes: string[] = [];
  let mode: PqMode = "required";
  const { lists } = openTestLists({
    pqMode: () => mode,
    work: async (task) => {
      if (task.kind === "read") modes.push(task.pqMode);
      return { kind: "refused", problem: reported("no") };
    },
  });
  lists.want([fromUrl("https://lists.example/ads")]);
  await lists.whenIdle();
  mode = "default";
  await lists.refresh(fromUrl("").id);
  expect(modes).toEqual(["required", "default"]);
});

describe("a list that is handed in", () => {
  test("is stored, also while it is unused", async () => {
    const { lists } = openTestLists();
    const uploaded = await lists.upload("one", "||ads.example^\n@@||good.ads.example^\n##.x\n", "auto");
    expect(uploaded).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string, entries: 2, skipped: 1 });
    lists.want([]);
    const list: WantedList = { ...fromUrl(""), bit: 31, source: { kind: "upload", digest: uploaded.digest } };
    lists.want([list]);
    await lists.whenIdle();
    expect(lists.lookup("ads.example")).toEqual({ exact: 2 ** 31, below: 2 ** 31, allowExact: 0, allowBelow: 0 });
    expect(lists.lookup("good.ads.example")).toEqual({ exact: 0, below: 0, allowExact: 2 ** 31, allowBelow: 2 ** 31 });
    lists.forget("one");
    lists.want([list]);
    await lists.whenIdle();
    expect(lists.lookup("ads.example")).toBeUndefined();
    expect(lists.states()).toMatchObject([{ problem: because("list_not_uploaded") }]);
  });

  test("is refused when it is none", async () => {
    const { lists } = openTestLists();
    await expect(lists.upload("one", "<html>", "auto")).rejects.toThrow("The content is a web page, not a list");
  });
});

describe("what is built", () => {
  test("puts all lists together, each with its bit", async () => {
    const { lists, built } = openTestLists();
    await lists.upload("a", "ads.example\nboth.example\n", "domains");
    await lists.upload("b", "0.0.0.0 both.example\n", "hosts");
    await lists.upload("c", "both.example\n", "domains");
    const one = (id: string, bit: number, action: "block" | "allow"): WantedList => ({
      id,
      bit,
      action,
      format: "auto",
      source: { kind: "upload", digest: "" },
    });
    lists.want([one("a", 0, "block"), one("b", 1, "block"), one("c", 2, "allow")]);
    await lists.whenIdle();
    expect(lists.lookup("both.example")).toEqual({ exact: 3, below: 1, allowExact: 4, allowBelow: 4 });
    expect(built.at(-1)).toMatchObject({ names: 2 });
  });

  test("is handed over after a start without being built again", async () => {
    using folder = temporaryFolder();
    const first = openTestLists({ folder: folder.path });
    const { digest } = await first.lists.upload("one", thousandNames, "domains");
    const list: WantedList = { ...fromUrl(""), source: { kind: "upload", digest } };
    first.lists.want([list]);
    await first.lists.whenIdle();
    await first.lists.close();
    // With the texts gone nothing could be built: only the names of files are looked at.
    const texts = readdirSync(folder.path).filter((name) => name.endsWith(".txt"));
    for (const name of texts) writeFileSync(`${folder.path}/${name}`, "");
    const second = openTestLists({ folder: folder.path });
    second.lists.want([list]);
    await second.lists.whenRestored();
    expect(second.built.map(({ digest: it }) => it)).toEqual(first.built.map(({ digest: it }) => it));
    expect(second.built).toMatchObject([{ names: 1000 }]);
    await second.built[0]!.copyTo(`${folder.path}/elsewhere`, 0o644);
    expect(readFileSync(`${folder.path}/elsewhere`)).toEqual(readFileSync(second.built[0]!.path));
    expect(statSync(`${folder.path}/elsewhere`).mode & 0o777).toBe(0o644);
    expect(second.lists.lookup("name7.example")).toMatchObject({ exact: 1 });
    expect(texts).toHaveLength(1);
  });

  test("does not wait long for a list that takes its time, and has it later", async () => {
    const requested = Promise.withResolvers<ServerResponse>();
    const { url } = await serveList((_, response) => requested.resolve(response));
    const first = Promise.withResolvers<Built>();
    const { lists } = openTestLists({ buildDelayMs: 10, onBuilt: (it) => first.resolve(it) });
    const { digest } = await lists.upload("two", "here.example\n", "domains");
    lists.want([fromUrl(url), { ...fromUrl(""), id: "two", bit: 1, source: { kind: "upload", digest } }]);
    expect(await first.promise).toMatchObject({ names: 1 });
    expect(lists.lookup("here.example")).toMatchObject({ exact: 2 });
    (await requested.promise).end("late.example\n");
    await lists.whenIdle();
    expect(lists.lookup("late.example")).toMatchObject({ exact: 1 });
  });

  test("is made once of all that came while it waited its turn", async () => {
    using folder = temporaryFolder();
    const tasks: string[] = [];
    const { lists, built } = openTestLists({
      fileFolder: folder.path,
      buildDelayMs: 0,
      work: async (task) => {
        tasks.push(task.kind);
        // Longer than the build delay: the build starts while lists are still being read.
        await new Promise((resolve) => setTimeout(resolve, 20));
        return perform(task);
      },
    });
    const file = (id: string, bit: number): WantedList => {
      writeFileSync(`${folder.path}/${id}`, `${id}.example\n`);
      return { ...fromUrl(""), id, bit, source: { kind: "file", path: id } };
    };
    lists.want([file("a", 0), file("b", 1), file("c", 2)]);
    await lists.whenIdle();
    expect(tasks.filter((kind) => kind === "read")).toHaveLength(3);
    expect(built.at(-1)).toMatchObject({ names: 3 });
    expect(new Set(built.map(({ digest }) => digest)).size).toBe(built.length);
    expect(tasks.filter((kind) => kind === "build")).toHaveLength(built.length);
  });

  test("is built in a thread of its own", async () => {
    const { lists, built } = openTestLists({ work: undefined });
    await lists.upload("one", thousandNames, "domains");
    lists.want([{ ...fromUrl(""), source: { kind: "upload", digest: "" } }]);
    await lists.whenIdle();
    expect(built).toMatchObject([{ names: 1000 }]);
  });

  test("does not keep anybody who closes it waiting", async () => {
    const { lists, built, problems } = openTestLists({ work: undefined });
    lists.want([]);
    await lists.close();
    expect({ built, problems }).toEqual({ built: [], problems: [] });
  });

  test("is an empty file when no list is wanted", async () => {
    const { lists, built } = openTestLists();
    lists.want([]);
    await lists.whenIdle();
    expect(built).toMatchObject([{ names: 0 }]);
    expect(existsSync(built[0]!.path)).toBe(true);
  });

  test("is reported when it becomes too large, and the old one stays", async () => {
    const { lists, built, problems } = openTestLists({ maxNames: 10 });
    lists.want([]);
    await lists.whenIdle();
    const { digest } = await lists.upload("one", thousandNames, "domains");
    lists.want([{ ...fromUrl(""), source: { kind: "upload", digest } }]);
    await lists.whenIdle();
    expect(problems).toEqual(["The lists cannot be built: The lists together have more than 10 names"]);
    expect(built).toHaveLength(1);
  });
});
