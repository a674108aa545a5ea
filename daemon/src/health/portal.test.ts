import { expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { curlArguments, resultOf, readCurl, readResolvers, type Reply } from "./portal.machine.ts";
import { checkForPortal } from "./portal.ts";

const probe = { url: "http://probe.test/success.txt", answer: "success" };
const answer = (status: number, more: Partial<Extract<Reply, { kind: "answer" }>> = {}): Reply => ({
  kind: "answer",
  status,
  location: null,
  refresh: "",
  body: "",
  ...more,
});

test.each<[string, Reply, ReturnType<typeof resultOf>]>([
  ["the words that were expected", answer(200, { body: "success\n" }), { kind: "expected" }],
  ["nobody", { kind: "silence", reason: "" }, { kind: "silence" }],
  [
    "a redirect",
    answer(302, { location: "http://portal.test/login?mac=1" }),
    { kind: "onward", to: "http://portal.test/login?mac=1" },
  ],
  [
    "a redirect that keeps the method",
    answer(307, { location: "/in" }),
    { kind: "onward", to: "http://probe.test/in" },
  ],
  ["a redirect to nowhere", answer(302), { kind: "page" }],
  ["a redirect to what no browser opens by itself", answer(302, { location: "javascript:alert(1)" }), { kind: "page" }],
  ["another page", answer(200, { body: "<h1>Welcome</h1>" }), { kind: "page" }],
  ["a page of a broken server", answer(503, { body: "success" }), { kind: "page" }],
  [
    "a page that refreshes itself elsewhere",
    answer(200, { body: `<META content="0; URL='https://portal.test/?a=1&amp;b=2'" HTTP-EQUIV=Refresh>` }),
    { kind: "onward", to: "https://portal.test/?a=1&b=2" },
  ],
  [
    "a field that does",
    answer(200, { refresh: "0;url=http://portal.test/" }),
    { kind: "onward", to: "http://portal.test/" },
  ],
  [
    "a script that does",
    answer(200, { body: `<script>window.location.href = "http://portal.test/s";</script>` }),
    { kind: "onward", to: "http://portal.test/s" },
  ],
  [
    "another",
    answer(200, { body: `<script>top.location.replace('http://portal.test/s')</script>` }),
    { kind: "onward", to: "http://portal.test/s" },
  ],
  [
    "what roaming software reads",
    answer(200, { body: "<!-- <WISPAccessGatewayParam><LoginURL>https://portal.test/w</LoginURL> -->" }),
    { kind: "onward", to: "https://portal.test/w" },
  ],
  [
    "a network that wants to be signed in to (RFC 6585)",
    answer(511, { body: `<meta http-equiv="refresh" content="0; url=https://portal.test/">` }),
    { kind: "onward", to: "https://portal.test/" },
  ],
  ["the same without a place", answer(511), { kind: "page" }],
])("%s is understood", (_, reply, meaning) => expect(resultOf(reply, probe.url, probe)).toEqual(meaning));

test("the right words in the wrong place are somebody else's", () =>
  expect(resultOf(answer(200, { body: "success" }), "http://portal.test/", probe)).toEqual({ kind: "page" }));

test("a page of any size and shape is looked at in no time", repeatable, () => {
  const began = ownSec();
  for (const piece of ["<meta ", "location=", "<LoginURL>", "url=", `location="`, "<meta http-equiv=refresh "])
    expect(resultOf(answer(200, { body: piece.repeat(200_000) }), probe.url, probe).kind).toMatch(/^(page|onward)$/);
  expectWithin(2, { "analysis of six large pages": ownSec() - began });
});

test("what curl says is read from its end", () => {
  expect(readCurl("success\n\n200  ")).toEqual(answer(200, { body: "success\n" }));
  expect(readCurl("<a>\n302 no\n\n302 http://portal.test/ 5; url=/x")).toEqual(
    answer(302, { body: "<a>\n302 no\n", location: "http://portal.test/", refresh: "5; url=/x" }),
  );
  expect(readCurl("\n000  ")).toMatchObject({ kind: "silence" });
  expect(readCurl("")).toMatchObject({ kind: "silence" });
});

test("curl is told the addresses, and looks nothing up", () => {
  const step = { url: "https://portal.test/x", host: "portal.test", addresses: ["192.0.2.1", "2001:db8::1"] };
  const words = curlArguments({ uplink: "wan0", step }, 5);
  expect(words).toContain("portal.test:443:192.0.2.1,[2001:db8::1]");
  expect(words.slice(words.indexOf("--interface"), words.indexOf("--interface") + 2)).toEqual(["--interface", "wan0"]);
  const bare = { url: "http://[2001:db8::1]:8080/", host: "2001:db8::1", addresses: ["2001:db8::1"] };
  expect(curlArguments({ uplink: "wan0", step: bare }, 5)).not.toContain("--resolve");
});

test("resolvers are those the network has named, and none of our own", () => {
  expect(readResolvers("# nameserver 9.9.9.9\nnameserver 127.0.0.53\nnameserver 192.0.2.2\nsearch lan\n")).toEqual([
    "192.0.2.2",
  ]);
  expect(readResolvers("Link 2 (wan0): 192.0.2.2#hotel.test fe80::1%2 2001:db8::53\n")).toEqual([
    "192.0.2.2",
    "2001:db8::53",
  ]);
  expect(readResolvers("")).toEqual([]);
});

/** A network in which names and pages are what a test says. */
function network(names: Readonly<Record<string, readonly string[]>>, pages: Readonly<Record<string, string | Error>>) {
  const asked: string[] = [];
  const look = () =>
    checkForPortal(
      {
        nowMs: () => 0,
        lookup: async (server, _, host) => {
          asked.push(`${server} ${host}`);
          return server === "192.0.2.2" ? [...(names[host] ?? [])] : [];
        },
        system: {
          list: () => [],
          readText: (path) =>
            path === "/etc/resolv.conf" ? "nameserver 198.51.100.9\nnameserver 127.0.0.1\n" : undefined,
          run: async (_, words) => {
            const page = pages[words.at(-1)!] ?? new Error("curl: (7) Failed to connect");
            if (page instanceof Error) throw page;
            return page;
          },
        },
      },
      { uplink: "wan0", from: { v4: "192.0.2.1" }, probe, resolvers: ["192.0.2.2"] },
    );
  return { look, asked };
}

test("an open network: one page, and names of whoever answers first", async () => {
  const { look, asked } = network({ "probe.test": ["203.0.113.1"] }, { [probe.url]: "success\n\n200  " });
  expect(await look()).toMatchObject({ state: "open", uplink: "wan0", steps: [{ host: "probe.test" }] });
  expect(asked).toEqual(["198.51.100.9 probe.test", "192.0.2.2 probe.test"]);
});

test("a portal is followed wherever it leads, and the evidence tells each step", async () => {
  const { look } = network(
    { "probe.test": ["10.0.0.9"], "gate.test": ["192.0.2.7"], "pay.test": ["203.0.113.5"] },
    {
      [probe.url]: "\n302 http://gate.test/ ",
      "http://gate.test/": "\n302 https://pay.test/in ",
      "https://pay.test/in": new Error("curl: (60) SSL certificate problem: self-signed certificate"),
    },
  );
  const { state, steps, evidence } = await look();
  expect([state, steps.map(({ host, addresses }) => `${host} ${addresses.join()}`)]).toEqual([
    "captive",
    ["probe.test 10.0.0.9", "gate.test 192.0.2.7", "pay.test 203.0.113.5"],
  ]);
  expect(evidence).toEqual([
    "198.51.100.9 says nothing of probe.test",
    "probe.test is 10.0.0.9, says 192.0.2.2",
    "http://probe.test/success.txt was answered with 302, and that leads to http://gate.test/",
    "probe.test is nobody's private address: somebody on the way has answered for it",
    "198.51.100.9 says nothing of gate.test",
    "gate.test is 192.0.2.7, says 192.0.2.2",
    "http://gate.test/ was answered with 302, and that leads to https://pay.test/in",
    "198.51.100.9 says nothing of pay.test",
    "pay.test is 203.0.113.5, says 192.0.2.2",
    "https://pay.test/in was not answered: curl: (60) SSL certificate problem: self-signed certificate",
  ]);
});

test("a portal that leads in circles, or on and on, is left", async () => {
  const circle = network(
    { "probe.test": ["203.0.113.1"], "a.test": ["192.0.2.7"] },
    { [probe.url]: "\n302 http://a.test/ ", "http://a.test/": `\n302 ${probe.url} ` },
  );
  expect(await circle.look()).toMatchObject({ state: "captive", steps: [{}, { host: "a.test" }] });
  const names = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}.test`, ["192.0.2.7"]]));
  const pages = Array.from({ length: 20 }, (_, at) => [`http://h${at}.test/`, `\n302 http://h${at + 1}.test/ `]);
  const endless = network(
    { "probe.test": ["203.0.113.1"], ...names },
    { [probe.url]: "\n302 http://h0.test/ ", ...(Object.fromEntries(pages) as Record<string, string>) },
  );
  expect((await endless.look()).steps).toHaveLength(6);
});

test.each([
  ["no resolver answers", network({}, {})],
  ["nobody answers where the name leads", network({ "probe.test": ["203.0.113.1"] }, {})],
])("where %s we are offline", async (_, { look }) =>
  expect(await look()).toMatchObject({
    state: "offline",
    evidence: expect.arrayContaining([expect.stringContaining("was not answered")]) as string[],
  }),
);
