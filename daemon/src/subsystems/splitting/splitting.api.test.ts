import { describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";

const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string; message: string }) => `${problem.code}: ${problem.message}`,
  );
const makeTunnel = ({ client }: TestGateway, name: string, dns: string[] = []) =>
  client.tunnels.create({
    body: { name, type: "wireguard", mtu: 1400, config: { ...wireguardConfig(), dns } },
  });

describe("splitting: the pool", () => {
  test("takes tunnels by name, and an endpoint is changed and deleted at three places", async () => {
    await using gateway = await startGateway();
    const { splittingEndpoints: pool } = gateway.client;
    const nl = await makeTunnel(gateway, "nl");
    const made = await pool.create({ body: { tunnel_id: "nl", weight: 3 } });
    expect(made).toMatchObject({ tunnel_id: nl.id, role: "member", weight: 3, enabled: true, target: null });
    const path = "/splitting/endpoints";
    const changed = await gateway.request("PUT", path, { body: { id: made.id, weight: 4 } });
    expect(changed.json()).toEqual({ ...made, weight: 4 });
    expect((await gateway.request("PUT", `${path}?id=${made.id}`, { body: { weight: 5 } })).json().weight).toBe(5);
    expect((await gateway.request("GET", path)).json()).toEqual([{ ...made, weight: 5 }]);

    expect((await gateway.request("DELETE", path, { body: { id: made.id } })).json()).toEqual({
      id: made.id,
      deleted: true,
    });
    const second = await pool.create({ body: { tunnel_id: nl.id } });
    expect((await gateway.request("DELETE", `${path}?id=${second.id}`)).status).toBe(200);
    const third = await pool.create({ body: { tunnel_id: nl.id } });
    expect((await gateway.request("DELETE", `${path}/${third.id}`)).status).toBe(200);
    expect((await gateway.request("DELETE", `${path}/${third.id}`)).status).toBe(404);
    expect((await gateway.request("DELETE", path)).status).toBe(400);
    expect((await pool.list()).items).toEqual([]);
  });

  test("keeps its tunnels", async () => {
    await using gateway = await startGateway();
    const { splittingEndpoints: pool, tunnels, references } = gateway.client;
    const { id } = await makeTunnel(gateway, "nl");
    const endpoint = await pool.create({ body: { tunnel_id: "nl" } });
    expect(await refused(tunnels.remove({ params: { id } }))).toContain("in_use");
    expect((await references.show({ params: { type: "tunnel", id } })).referenced_by).toEqual({
      splitting_endpoints: 1,
    });
    await pool.remove({ params: { id: endpoint.id } });
    expect(await refused(tunnels.remove({ params: { id } }))).toBe("accepted");
  });

  test.each([
    [{ weight: 0 }, "body.weight"],
    [{ weight: 101 }, "body.weight"],
    [{ role: "spy" }, "body.role"],
    [{ bytes_per_second: 0 }, "body.bytes_per_second"],
    [{ bytes_per_second: 65_537 }, "body.bytes_per_second"],
    [{ role: "cover", target: "example.org" }, "body.target"],
    [{ role: "cover" }, "body.target"],
    [{ tunnel_id: "se" }, "body.tunnel_id"],
  ])("refuses %j and names the field", async (body, field) => {
    await using gateway = await startGateway();
    await makeTunnel(gateway, "nl");
    const answer = await gateway.request("POST", "/splitting/endpoints", { body: { tunnel_id: "nl", ...body } });
    expect([answer.status, answer.json().error.details.fields[0].field]).toEqual([400, field]);
  });
});

describe("splitting: activating", () => {
  test("stages the policy; the next apply brings it into force, and its tunnels stay", async () => {
    await using gateway = await startGateway();
    const { splitting, splittingEndpoints: pool, routing, changes, tunnels } = gateway.client;
    const { id } = await makeTunnel(gateway, "nl");
    await makeTunnel(gateway, "se");
    const made = await routing.create({ body: { name: "abroad", source_type: "all", fail_policy: "fail-over" } });
    await pool.create({ body: { tunnel_id: "nl", weight: 3 } });
    expect(await refused(splitting.activate({ body: { policy_id: "abroad" } }))).toContain("conflict: Splitting needs");
    await pool.create({ body: { tunnel_id: "se" } });

    const { policy, members, staged, applied, message } = await splitting.activate({ body: { policy_id: made.id } });
    expect(policy).toEqual({
      ...made,
      splitting: true,
      hops: members.map((it) => ({ type: "vpn", target: it.tunnel_id === id ? "nl" : "se" })),
    });
    expect([members.length, staged, applied, message]).toEqual([
      2,
      true,
      false,
      "The policy is staged; it takes effect with the next apply",
    ]);
    expect(await routing.get({ params: { id: made.id } })).toEqual(policy);
    expect((await changes.show()).staged).toHaveLength(1);
    expect(await splitting.status()).toEqual({ active: false, policies: [], members: 2, covers: 0 });

    await routing.apply();
    const status = await splitting.status();
    expect(status.active).toBe(true);
    expect(status.policies[0]!.members.toSorted((a, b) => b.weight - a.weight)).toMatchObject([
      { tunnel: "nl", weight: 3, healthy: false, share: 0 },
      { tunnel: "se", weight: 1, healthy: false, share: 0 },
    ]);
    for (const endpoint of (await pool.list()).items) await pool.remove({ params: { id: endpoint.id } });
    expect(await refused(tunnels.remove({ params: { id } }))).toContain("in_use");
  });

  test("applies immediately on request, and reports whether it is in force", async () => {
    await using gateway = await startGateway();
    const { splitting, splittingEndpoints: pool, routing, changes } = gateway.client;
    for (const name of ["nl", "se"]) {
      await makeTunnel(gateway, name);
      await pool.create({ body: { tunnel_id: name } });
    }
    await routing.create({ body: { name: "abroad", source_type: "all" } });
    const answer = await splitting.activate({ body: { policy_id: "abroad", apply: true } });
    // The gateway of this test drives no kernel.
    expect(answer).toMatchObject({
      applied: true,
      message: "The policy is published, but not completely in force yet",
    });
    expect((await changes.show()).staged).toEqual([]);
    expect((await splitting.status()).active).toBe(true);
  });

  test("is refused for what does not exist, and for a policy that has a profile", async () => {
    await using gateway = await startGateway();
    const { splitting, splittingEndpoints: pool, routing, profiles } = gateway.client;
    for (const name of ["nl", "se"]) {
      await makeTunnel(gateway, name);
      await pool.create({ body: { tunnel_id: name } });
    }
    await profiles.create({ body: { name: "shared" } });
    await routing.create({ body: { name: "abroad", source_type: "all", profile_id: "shared" } });
    expect(await refused(splitting.activate({ body: { policy_id: "abroad" } }))).toContain("conflict: This policy");
    expect(await refused(splitting.activate({ body: { policy_id: "unknown" } }))).toContain("invalid_request");
  });
});

test("splitting: each path has its transport and resolver", async () => {
  await using gateway = await startGateway({ config: { dns: { upstream_servers: ["9.9.9.9"] } } });
  const { splitting, splittingEndpoints: pool } = gateway.client;
  const nl = await makeTunnel(gateway, "nl", ["10.2.0.1"]);
  await makeTunnel(gateway, "se");
  await makeTunnel(gateway, "aside");
  const target = "203.0.113.5";
  await pool.create({ body: { tunnel_id: "nl" } });
  const cover = await pool.create({ body: { tunnel_id: "se", role: "cover", target, bytes_per_second: 2048 } });
  expect((await splitting.transport()).map((it) => [it.tunnel, it.interface, it.type, it.mtu, it.status])).toEqual([
    ["nl", "wg-nl", "wireguard", 1400, "down"],
    ["se", "wg-se", "wireguard", 1400, "down"],
  ]);
  expect(await splitting.dnsStatus()).toMatchObject([
    { tunnel_id: nl.id, tunnel: "nl", resolver: "10.2.0.1", source: "tunnel config" },
    { tunnel: "se", resolver: "9.9.9.9", source: "system" },
  ]);
  expect(await splitting.coverStats()).toEqual([
    {
      endpoint_id: cover.id,
      tunnel: "se",
      target,
      enabled: false,
      packets: 0,
      bytes: 0,
      answered: 0,
      bytes_per_second: 2048,
    },
  ]);
});
