import { because, type Reason, sentence } from "@portcullis/contract/reason";
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
  ["the expected content", answer(200, { body: "success\n" }), { kind: "expected" }],
  ["no answer", { kind: "no-answer", reason: because("portal_out_of_time") }, { kind: "no-answer" }],
  [
    "a redirect",
    answer(302, { location: "http://portal.test/login?mac=1" }),
    { kind: "redirect", to: "http://portal.test/login?mac=1" },
  ],
  [
    "a redirect that keeps the method",
    answer(307, { location: "/in" }),
    { kind: "redirect", to: "http://probe.test/in" },
  ],
  ["a redirect without a target", answer(302), { kind: "page" }],
  [
    "a redirect to a URL that no browser opens by itself",
    answer(302, { location: "javascript:alert(1)" }),
    { kind: "page" },
  ],
  ["another page", answer(200, { body: "<h1>Welcome</h1>" }), { kind: "page" }],
  ["an error page with the expected content", answer(503, { body: "success" }), { kind: "page" }],
  [
    "a page with a meta refresh",
    answer(200, { body: `<META content="0; URL='https://portal.test/?a=1&amp;b=2'" HTTP-EQUIV=Refresh>` }),
    { kind: "redirect", to: "https://portal.test/?a=1&b=2" },
  ],
  [
    "a Refresh header",
    answer(200, { refresh: "0;url=http://portal.test/" }),
    { kind: "redirect", to: "http://portal.test/" },
  ],
  [
    "a script that sets location.href",
    answer(200, { body: `<script>window.location.href = "http://portal.test/s";</script>` }),
    { kind: "redirect", to: "http://portal.test/s" },
  ],
  [
    "a script that calls location.replace",
    answer(200, { body: `<script>top.location.replace('http://portal.test/s')</script>` }),
    { kind: "redirect", to: "http://portal.test/s" },
  ],
  [
    "a WISPr login URL",
    answer(200, { body: "<!-- <WISPAccessGatewayParam><LoginURL>https://portal.test/w</LoginURL> -->" }),
    { kind: "redirect", to: "https://portal.test/w" },
  ],
  [
    "status 511 (RFC 6585) with a meta refresh",
    answer(511, { body: `<meta http-equiv="refresh" content="0; url=https://portal.test/">` }),
    { kind: "redirect", to: "https://portal.test/" },
  ],
  ["status 511 without a URL", answer(511), { kind: "page" }],
])("portal: %s", (_, reply, expected) => expect(resultOf(reply, probe.url, probe)).toEqual(expected));

test("portal: the expected content from another host does not count", () =>
  expect(resultOf(answer(200, { body: "success" }), "http://portal.test/", probe)).toEqual({ kind: "page" }));

test("portal: the analysis of a large malformed page is fast", repeatable, () => {
  const began = ownSec();
  for (const piece of ["<meta ", "location=", "<LoginURL>", "url=", `location="`, "<meta http-equiv=refresh "])
    expect(resultOf(answer(200, { body: piece.repeat(200_000) }), probe.url, probe).kind).toMatch(/^(page|redirect)$/);
  expectWithin(2, { "analysis of six large pages": ownSec() - began });
});

test("portal: status and headers are parsed from the end of the output of curl", () => {
  expect(readCurl("success\n\n200  ")).toEqual(answer(200, { body: "success\n" }));
  expect(readCurl("<a>\n302 no\n\n302 http://portal.test/ 5; url=/x")).toEqual(
    answer(302, { body: "<a>\n302 no\n", location: "http://portal.test/", refresh: "5; url=/x" }),
  );
  expect(readCurl("\n000  ")).toMatchObject({ kind: "no-answer" });
  expect(readCurl("")).toMatchObject({ kind: "no-answer" });
});

test("portal: curl gets the addresses and resolves nothing", () => {
  const step = { url: "https://portal.test/x", host: "portal.test", addresses: ["192.0.2.1", "2001:db8::1"] };
  const curl = curlArguments({ uplink: "wan0", step }, 5);
  expect(curl).toContain("portal.test:443:192.0.2.1,[2001:db8::1]");
  expect(curl.slice(curl.indexOf("--interface"), curl.indexOf("--interface") + 2)).toEqual(["--interface", "wan0"]);
  const bare = { url: "http://[2001:db8::1]:8080/", host: "2001:db8::1", addresses: ["2001:db8::1"] };
  expect(curlArguments({ uplink: "wan0", step: bare }, 5)).not.toContain("--resolve");
});

test("portal: resolvers are those that the network assigned, without those on this machine", () => {
  expect(readResolvers("# nameserver 9.9.9.9\nnameserver 127.0.0.53\nnameserver 192.0.2.2\nsearch lan\n")).toEqual([
    "192.0.2.2",
  ]);
  expect(readResolvers("Link 2 (wan0): 192.0.2.2#hotel.test fe80::1%2 2001:db8::53\n")).toEqual([
    "192.0.2.2",
    "2001:db8::53",
  ]);
  expect(readResolvers("")).toEqual([]);
});

/** A network with the given names and pages. */
function network(names: Readonly<Record<string, readonly string[]>>, pages: Readonly<Record<string, string | Error>>) {
  const queries: string[] = [];
  const look = () =>
    checkForPortal(
      {
        nowMs: () => 0,
        lookup: async (server, _, host) => {
          queries.push(`${server} ${host}`);
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
  return { look, queries };
}

test("portal: an open network takes one page, and the first resolver that answers", async () => {
  const { look, queries } = network({ "probe.test": ["203.0.113.1"] }, { [probe.url]: "success\n\n200  " });
  expect(await look()).toMatchObject({ state: "open", uplink: "wan0", steps: [{ host: "probe.test" }] });
  expect(queries).toEqual(["198.51.100.9 probe.test", "192.0.2.2 probe.test"]);
});

test("portal: redirects are followed, and the evidence lists each step", async () => {
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
  expect(evidence.map((it) => sentence(it))).toEqual([
    "198.51.100.9 has no address for probe.test",
    "192.0.2.2 resolves probe.test to 10.0.0.9",
    "http://probe.test/success.txt: status 302, redirects to http://gate.test/",
    "probe.test is a public name with a private address: a portal answered for it",
    "198.51.100.9 has no address for gate.test",
    "192.0.2.2 resolves gate.test to 192.0.2.7",
    "http://gate.test/: status 302, redirects to https://pay.test/in",
    "198.51.100.9 has no address for pay.test",
    "192.0.2.2 resolves pay.test to 203.0.113.5",
    "https://pay.test/in: no answer: curl: (60) SSL certificate problem: self-signed certificate",
  ]);
});

test("portal: a redirect loop and an endless chain are abandoned", async () => {
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
  ["no server answers", network({ "probe.test": ["203.0.113.1"] }, {})],
])("portal: offline when %s", async (_, { look }) =>
  expect(await look()).toMatchObject({
    state: "offline",
    evidence: expect.arrayContaining([expect.objectContaining({ code: "portal_silent" })]) as Reason[],
  }),
);
