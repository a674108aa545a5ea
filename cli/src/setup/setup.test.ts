import type { Answer } from "@portcullis/contract/client";
import { envelope, Problem } from "@portcullis/contract/problem";
import type { SetupPlan, SetupState } from "@portcullis/contract/subsystems/setup";
import { describe, expect, test } from "vitest";
import { Misuse } from "../failure.ts";
import { Cancelled, type SetupConsole } from "./console.ts";
import { parseSetupOptions, type SetupOptions } from "./setup-options.ts";
import { runSetup } from "./setup.ts";

describe("CLI setup: options", () => {
  test("every answer is an option", () =>
    expect(
      parseSetupOptions(
        "--wan a --lan=b --lan-address 10.1.0.1/24 --dhcp no --unknown block --uplink-ports 22,443 --web lan --yes --no-wait".split(
          " ",
        ),
      ),
    ).toEqual({
      wan: "a",
      lan: "b",
      lanAddress: "10.1.0.1/24",
      dhcp: false,
      unknown: "block",
      uplinkPorts: [22, 443],
      webOnLan: true,
      yes: true,
      noWait: true,
    }));

  test.each([
    ["--wam eth0", 'is not an option of this command; did you mean "--wan"?'.replaceAll('"', "")],
    ["--wan", "--wan has no value"],
    ["--wan a --wan b", "--wan is given twice"],
    ["--yes=1", "--yes takes no value"],
    ["--dhcp maybe", '--dhcp must be yes or no, not "maybe"'],
    ["--uplink-ports 22,0", "--uplink-ports must be ports"],
    ["now", 'Unexpected argument "now"'],
  ])("%s is refused", (words, message) => expect(() => parseSetupOptions(words.split(" "))).toThrow(message));
});

const unused = { kind: "ethernet", role: "unused", usable: true, carrier: true, speed_mbps: 1000, addresses: [] };
const counters = { rx_bytes: 1_234_567, tx_bytes: 0, default_gateway_v4: null, default_gateway_v6: null };
const state = {
  steps: { network: false, confirmation: false, boot_guard: false, account: false, tunnel: false },
  settings: { wan: "eth0", lan: "eth1", lan_address: null, unknown: "direct", uplink_ports: [], enabled: false },
  interfaces: [
    { ...unused, ...counters, name: "enp1s0", addresses: ["192.0.2.1/24"], default_gateway_v4: "192.0.2.9" },
    { ...unused, ...counters, name: "enp2s0" },
    { ...unused, ...counters, name: "lo", usable: false },
  ],
  suggestion: {
    wan: { interface: "enp1s0", reason: "default_route" },
    lan: { interface: "enp2s0", reason: "only_other" },
    lan_address: "192.168.50.1/24",
    dhcp: true,
  },
  web_address: null,
  refusal: "",
  can_cancel: false,
} as unknown as SetupState;
const plan: SetupPlan = {
  file: "/etc/portcullis/portcullis.yaml",
  changes: [{ key: "network.wan_iface", from: "eth0", to: "enp1s0" }],
  lan_address: "192.168.50.1/24",
  address_set_by: "gateway",
  dhcp: { first: "192.168.50.100", last: "192.168.50.250" },
  web_address: "https://192.168.50.1:8080",
  confirm_sec: 120,
};

interface Script {
  /** Replies to prompts; `undefined` is Ctrl-C. */
  readonly typed?: readonly (string | undefined)[];
  readonly isTerminal?: boolean;
  readonly shown?: SetupState;
  readonly connectedBy?: string;
  /** Pauses until Ctrl-C. */
  readonly pauses?: number;
  /** What the enforcement becomes after it was provisional. */
  readonly end?: string;
}

/** A gateway that is in force as soon as a setup was applied, and a console that replies from a list. */
function world({ typed = [], isTerminal = true, shown = state, connectedBy, pauses = 100, end = "confirmed" }: Script) {
  const sent: string[] = [];
  const said: string[] = [];
  const left = [...typed];
  let [isApplied, seen, paused] = [false, 0, 0];
  const enforcement = () => ({
    state: isApplied ? (seen++ < 2 ? "provisional" : end) : "off",
    message: "",
    remaining_sec: 99,
  });
  const current = (): SetupState => ({
    ...shown,
    ...(isApplied && {
      settings: { ...shown.settings, wan: "enp1s0", lan: "enp2s0", enabled: true },
      steps: { ...shown.steps, network: true },
    }),
    can_cancel: isApplied,
  });
  const reply = (line: string, body: { readonly lan_address?: string }): unknown => {
    if (line === "GET /setup") return current();
    if (line === "GET /enforcement") return enforcement();
    if (line === "GET /reconcile") return { engines: [{ name: "guard" }] };
    if (line === "GET /settings/paths.state") return { value: "/var/lib/portcullis" };
    if (line === "POST /privacy/leak-check") return { verdict: "ok", devices: [], gateway: [] };
    if (line === "PUT /setup") isApplied = true;
    if (line === "DELETE /setup") isApplied = false;
    if (line === "POST /setup/plan" && body.lan_address === undefined) throw addressNeeded;
    return line.endsWith("/setup") && line.startsWith("DELETE") ? current() : plan;
  };
  const console: SetupConsole = {
    isTerminal,
    say: (text) => void said.push(text),
    ask: async (prompt) => {
      said.push(prompt);
      const next = left.shift();
      if (next === undefined) throw new Cancelled();
      return next;
    },
    pause: async () => {
      if (paused++ === pauses) throw new Cancelled();
    },
    settle: () => void (paused = -100),
    enableBootGuard: async () => true,
    connectedBy,
  };
  const send = async ({ method, url, body }: { method: string; url: string; body?: string }): Promise<Answer> => {
    const line = `${method} ${url}`;
    sent.push(body === undefined ? line : `${line} ${body}`);
    const answer = (status: number, value: unknown) => ({ status, body: value, header: () => null });
    try {
      return answer(200, reply(line, JSON.parse(body ?? "{}") as { lan_address?: string }));
    } catch (error) {
      if (error instanceof Problem) return answer(error.status, envelope(error));
      throw error;
    }
  };
  const run = (options: SetupOptions) => runSetup(options, { send, console });
  return { run, said: () => said.join(""), changes: () => sent.filter((it) => /^(?:PUT|DELETE)/.test(it)), left };
}
const addressNeeded = new Problem(
  "invalid_request",
  { fields: [{ field: "body.lan_address", problem: "must be given" }] },
  { message: "body.lan_address: must be given: enp2s0 has no private address of its own, such as 192.168.50.1/24" },
);

describe("CLI setup", () => {
  test("empty replies take the suggestions; the rules stay after the confirmation, with guard and leak check", async () => {
    const { run, said, changes, left } = world({ typed: ["", "", "", "", "", "", "y"] });
    expect(await run({})).toEqual({ out: "Next: https://192.168.50.1:8080\n" });
    expect(changes()).toEqual([
      `PUT /setup ${JSON.stringify({ wan: "enp1s0", lan: "enp2s0", lan_address: "192.168.50.1/24", dhcp: true, unknown: "direct", web_on_lan: true })}`,
    ]);
    expect(left).toEqual([]);
    for (const text of [
      "enp1s0     ethernet  1000 Mbit/s  192.0.2.1/24  192.0.2.9      1.2 MB    0 B",
      "Interface towards the Internet [enp1s0, the default route leaves by it]: ",
      "network.wan_iface: eth0 becomes enp1s0",
      "open https://192.168.50.1:8080 and press Confirm",
      "/var/lib/portcullis/setup-code",
      "portcullis-guard.service is enabled",
      "Leak check: ok",
    ])
      expect(said()).toContain(text);
    expect(said()).not.toContain("lo ");
  });

  test("Ctrl-C at any prompt sends nothing that changes the gateway", async () => {
    const replies = ["", "", "", "", "", "", "y"];
    for (const count of replies.keys()) {
      const { run, changes } = world({ typed: replies.slice(0, count) });
      const { complaint } = await run({});
      expect([complaint?.text, complaint?.status]).toEqual(["Cancelled. Nothing was changed.\n", 1]);
      expect(changes()).toEqual([]);
    }
  });

  test("anything but yes at the last prompt changes nothing", async () => {
    const { run, changes } = world({ typed: ["", "", "", "", "", "", ""] });
    expect((await run({})).complaint?.text).toContain("Nothing was changed");
    expect(changes()).toEqual([]);
  });

  test("Ctrl-C while it waits for the confirmation undoes the setup", async () => {
    const { run, changes } = world({ typed: ["", "", "", "", "", "", "y"], pauses: 2 });
    expect((await run({})).complaint?.text).toContain("as it was before the setup");
    expect(changes().map((it) => it.split(" ")[0])).toEqual(["PUT", "DELETE"]);
  });

  test("a setup that is not confirmed fails, and says how to restore the file", async () => {
    const { run } = world({ typed: ["", "", "", "", "", "", "y"], end: "reverted" });
    expect((await run({})).complaint).toEqual({ text: expect.stringContaining("setup --cancel"), status: 1 });
  });

  test("options replace prompts, and without a terminal both interfaces must be given", async () => {
    const { run, changes, said } = world({ isTerminal: false });
    await expect(run({ yes: true })).rejects.toThrow(Misuse);
    await expect(run({ wan: "enp1s0", lan: "enp2s0" })).rejects.toThrow(Misuse);
    expect((await run({ wan: "enp1s0", lan: "enp2s0", yes: true, noWait: true })).complaint).toBeUndefined();
    expect(changes()).toEqual([
      `PUT /setup ${JSON.stringify({ wan: "enp1s0", lan: "enp2s0", lan_address: "192.168.50.1/24" })}`,
    ]);
    expect(said()).not.toContain("Confirmed");
  });

  test("an administrator who is connected through the uplink is offered to keep SSH there", async () => {
    const { run, changes } = world({ typed: ["", "", "", "", "", "y", "n", "y"], connectedBy: "192.0.2.1" });
    await run({});
    expect(changes()[0]).toContain('"uplink_ports":[22],"web_on_lan":false');
  });

  test("on a machine with one interface it explains what is possible, and changes nothing", async () => {
    const single = { ...state, interfaces: state.interfaces.filter(({ name }) => name !== "enp2s0") };
    const { run, changes } = world({ shown: single });
    const { complaint } = await run({});
    expect(complaint?.text).toContain("one interface that can be used, enp1s0");
    expect(complaint?.text).toContain("VLAN");
    expect(changes()).toEqual([]);
  });

  test("a refusal of the gateway is shown with what is missing", async () => {
    const { run } = world({ shown: { ...state, refusal: "The gateway is in force" } });
    expect((await run({})).complaint?.text).toContain("The gateway is in force.\nNothing was changed.\n");
    expect((await run({ show: true })).out).toContain("missing  admin account");
  });
});
