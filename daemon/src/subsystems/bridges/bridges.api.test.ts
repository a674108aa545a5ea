import { because, explained } from "@portcullis/contract/reason";
import { describe, expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";

const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string; message: string }) => `${problem.code}: ${problem.message}`,
  );
const network = { wan_iface: "eth0", lan_iface: "br-home", more_lan_ifaces: ["eth9"] };

describe("bridges: a bridge", () => {
  test("has careful defaults, and a PUT keeps what it does not name", async () => {
    await using gateway = await startGateway();
    const { bridges } = gateway.client;
    const made = await bridges.create({ body: { name: "Garden shed" } });
    expect(made).toEqual({
      id: made.id,
      name: "Garden shed",
      interface: "br-garden-shed",
      members: [],
      addresses: [],
      stp: false,
      enabled: true,
      status: "down",
      healthy: false,
      ...explained(because("bridge_absent")),
    });
    const params = { id: made.id };
    const changed = await bridges.update({
      params,
      body: { name: "Lounge", members: ["eth2", "eth3"], addresses: ["192.168.7.1/24", "FD00:7::1/64"] },
    });
    expect(changed).toEqual({
      ...made,
      name: "Lounge",
      members: ["eth2", "eth3"],
      addresses: ["192.168.7.1/24", "fd00:7::1/64"],
    });
    expect(await bridges.get({ params })).toEqual(changed);
    expect((await bridges.list()).items).toEqual([changed]);
    expect(await bridges.remove({ params })).toEqual({ id: made.id, deleted: true });
    expect((await bridges.list()).items).toEqual([]);
  });

  test("is published at once, without what is only a reading", async () => {
    await using gateway = await startGateway();
    const { bridges, snapshots, changes } = gateway.client;
    const { id } = await bridges.create({ body: { name: "Home" } });
    const { applied, staged } = await changes.show();
    const { document } = await snapshots.get({ params: { id: applied.id } });
    expect(document["bridge"]).toEqual([
      { id, name: "Home", interface: "br-home", members: [], addresses: [], stp: false, enabled: true },
    ]);
    expect(staged).toEqual([]);
  });

  test("is switched with and without a body, and says that it is off", async () => {
    await using gateway = await startGateway();
    const { bridges } = gateway.client;
    const { id } = await bridges.create({ body: { name: "Home" } });
    const states: boolean[] = [];
    for (const body of [undefined, undefined, { enabled: false }, { enabled: false }])
      states.push((await bridges.toggle({ params: { id }, ...(body && { body }) })).enabled);
    expect(states).toEqual([false, true, false, false]);
    expect((await bridges.get({ params: { id } })).reason).toBe("It is switched off");
    expect((await bridges.list({ query: { enabled: true } })).items).toEqual([]);
    expect((await bridges.list({ query: { enabled: false } })).items).toHaveLength(1);
  });

  test("shares neither name nor interface nor ports", async () => {
    await using gateway = await startGateway();
    const { bridges } = gateway.client;
    const { id } = await bridges.create({ body: { name: "Home", interface: "br0", members: ["eth2"] } });
    expect(await refused(bridges.create({ body: { name: "Home" } }))).toBe("conflict: Another bridge has this name");
    expect(await refused(bridges.create({ body: { name: "B", interface: "br0" } }))).toContain("conflict: br0 is");
    expect(await refused(bridges.create({ body: { name: "B", members: ["eth2"] } }))).toBe(
      "conflict: eth2 is a port of the bridge Home already",
    );
    expect(await refused(bridges.create({ body: { name: "B", members: ["br0"] } }))).toContain("a bridge itself");
    expect(await refused(bridges.update({ params: { id }, body: { members: ["eth2", "eth3"] } }))).toBe("accepted");
    expect(await refused(bridges.create({ body: { name: "B", members: ["eth4"] } }))).toBe("accepted");
  });

  test("does not take an uplink, whichever of them it is", async () => {
    await using gateway = await startGateway({ config: { network } });
    const { bridges, uplinks } = gateway.client;
    const withPort = (member: string) => bridges.create({ body: { name: member, members: [member] } });
    expect(await refused(withPort("eth0"))).toBe(
      "conflict: eth0 is an uplink: on a bridge, devices would reach it without the gateway's rules",
    );
    await uplinks.put({
      body: {
        uplinks: [
          { name: "fibre", interface: "eth0" },
          { name: "mobile", interface: "wwan0", enabled: false },
        ],
      },
    });
    expect(await refused(withPort("wwan0"))).toContain("conflict: wwan0 is an uplink");
    expect(await refused(withPort("eth5"))).toBe("accepted");
  });

  test("that is a LAN interface cannot be removed", async () => {
    await using gateway = await startGateway({ config: { network } });
    const { bridges } = gateway.client;
    const { id } = await bridges.create({ body: { name: "Home", members: ["eth2"] } });
    const hangs = "conflict: br-home";
    expect(await refused(bridges.remove({ params: { id } }))).toContain(hangs);
    expect(await refused(bridges.toggle({ params: { id } }))).toContain(hangs);
    expect(await refused(bridges.update({ params: { id }, body: { enabled: false } }))).toContain(hangs);
    expect(await refused(bridges.update({ params: { id }, body: { interface: "br1" } }))).toContain(hangs);
    expect(await refused(bridges.update({ params: { id }, body: { members: ["eth2", "eth3"] } }))).toBe("accepted");
    const other = await bridges.create({ body: { name: "Garage" } });
    expect(await refused(bridges.remove({ params: { id: other.id } }))).toBe("accepted");
  });

  test.each([
    [{ name: "x", interface: "BR0" }, "body.interface"],
    [{ name: "x", interface: "br-0123456789abc" }, "body.interface"],
    [{ name: "x", interface: "-br" }, "body.interface"],
    [{ name: "x", members: ["eth/0"] }, "body.members.0"],
    [{ name: "x", members: ["sixteen-signs-xx"] }, "body.members.0"],
    [{ name: "x", members: [".."] }, "body.members.0"],
    [{ name: "x", addresses: ["192.168.1.1"] }, "body.addresses"],
    [{ name: "x", status: "up" }, "body.status"],
    [{ interface: "br0" }, "body.name"],
  ])("is refused as %j", async (body, field) => {
    await using gateway = await startGateway();
    const answer = await gateway.request("POST", "/bridges", { body });
    expect([answer.status, answer.json().error.details.fields[0].field]).toEqual([400, field]);
  });
});

describe("bridges: the health of bridges", () => {
  test("is a list of its own: status is no id", async () => {
    await using gateway = await startGateway();
    const { bridges } = gateway.client;
    const { id } = await bridges.create({ body: { name: "Home", members: ["eth2"] } });
    expect((await gateway.request("GET", "/bridges/status")).json()).toEqual([
      {
        id,
        name: "Home",
        interface: "br-home",
        carrier: false,
        members: [{ interface: "eth2", present: false, state: "unknown" }],
        healthy: false,
        ...explained(because("bridge_absent")),
      },
    ]);
    expect((await gateway.request("GET", "/bridges/stats")).status).toBe(404);
  });

  test("is probed once, with or without a target, and the probe is written down", async () => {
    await using gateway = await startGateway();
    const { bridges, audit } = gateway.client;
    const { id } = await bridges.create({ body: { name: "Home" } });
    const params = { id };
    expect(await bridges.test({ params })).toEqual({
      healthy: false,
      checks: [
        {
          name: "exists",
          passed: false,
          message: "The kernel does not have it",
          coded_message: { code: "bridge_absent", params: {} },
        },
      ],
    });
    await bridges.test({ params, body: { target: "192.168.1.9" } });
    expect((await audit.list()).items.map(({ action, details }) => [action, details["target"]])).toEqual([
      ["test_bridge", "192.168.1.9"],
      ["test_bridge", undefined],
      ["create_bridge", undefined],
    ]);
    await bridges.toggle({ params });
    expect((await bridges.test({ params })).checks[0]).toMatchObject({ name: "enabled", passed: false });
    expect(await refused(bridges.test({ params, body: { target: "somewhere" } }))).toContain("invalid_request");
    await bridges.remove({ params });
    expect(await refused(bridges.test({ params }))).toContain("not_found");
  });
});

test("bridges: a tunnel, a bridge and an uplink never share an interface", async () => {
  await using gateway = await startGateway({ config: { network } });
  const { bridges, tunnels, uplinks } = gateway.client;
  const tunnel = (name: string, link: string) =>
    tunnels.create({
      body: { name, interface: link, type: "wireguard", config: wireguardConfig() },
    });
  await tunnel("nl", "wg-nl");
  await bridges.create({ body: { name: "Garage", members: ["eth5"] } });
  await uplinks.put({
    body: {
      uplinks: [
        { name: "fibre", interface: "eth0" },
        { name: "mobile", interface: "wwan0" },
      ],
    },
  });
  for (const taken of ["br-garage", "eth5", "wwan0"])
    expect(await refused(tunnel(taken, taken))).toContain("invalid_request: body.interface");
  expect(await refused(bridges.create({ body: { name: "A", interface: "wg-nl" } }))).toContain("conflict: wg-nl");
  expect(await refused(bridges.create({ body: { name: "A", members: ["wg-nl"] } }))).toContain("conflict: wg-nl");
  const both = ["eth0", "wg-nl"].map((name) => ({ name, interface: name }));
  expect(await refused(uplinks.put({ body: { uplinks: both } }))).toContain(
    "conflict: wg-nl is the interface of the tunnel nl",
  );
  expect(await refused(tunnel("se", "wg-se"))).toBe("accepted");
});
