import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { observedAt } from "../../../../testing/earlier-state.ts";
import { startGateway } from "../../../../testing/gateway.ts";
import { samplesIn } from "../../../../testing/metrics.ts";
import { folderWithDevices, macOf } from "../../../../testing/published-devices.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";

const [devices, tunnels] = [10_000, 50];

test("metrics: a scrape with 10,000 devices and 50 tunnels blocks no other request for long", {
  ...repeatable,
  tags: "proof",
}, async () => {
  const ids = Array.from({ length: devices }, () => randomUUIDv7());
  const observed = ids.map((_, place) => observedAt(Date.now(), place, macOf(place)));
  await using gateway = await startGateway({ folder: folderWithDevices(ids, { observed }) });
  const { client } = gateway;
  for (let at = 0; at < tunnels; at++) {
    const { id } = await client.tunnels.create({
      body: { name: `Tunnel ${at}`, type: "wireguard", config: wireguardConfig() },
    });
    const hops = [{ type: "vpn" as const, target: id }];
    const body = { name: `Policy ${at}`, source_type: "device" as const, source_value: ids[at]!, hops };
    await client.routing.create({ body });
  }
  await client.routing.apply();
  const read = () => gateway.request("GET", "/metrics");
  const samples = samplesIn((await read()).text);
  expect(samples.find(({ name, labels }) => name === "portcullis_devices" && labels["state"] === "known")?.value).toBe(
    devices,
  );
  expect(samples.filter(({ name }) => name === "portcullis_tunnel_status")).toHaveLength(5 * tunnels);

  const unchanged = await measured(20, read);
  const changed = await measured(5, read, (round) =>
    client.devices.update({ params: { id: ids[round]! }, body: { notes: `round ${round}` } }),
  );
  process.stdout.write(
    `metrics of ${devices} devices and ${tunnels} tunnels: ${unchanged.text}; after a change of a device: ${changed.text}\n`,
  );
  expectWithin(0.02, { "median of the longest turn of a scrape": unchanged.turnMs / 1000 });
});

/** Medians of the duration of some requests, and of the longest turn of the event loop meanwhile. */
async function measured(rounds: number, work: () => Promise<unknown>, before?: (round: number) => Promise<unknown>) {
  const [tookMs, turnMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    await before?.(round);
    const turns = watchTurns();
    const startedAt = performance.now();
    await work();
    tookMs.push(performance.now() - startedAt);
    turnMs.push(turns.stop());
  }
  const figures = { tookMs: median(tookMs), turnMs: median(turnMs) };
  return {
    ...figures,
    text: `${figures.tookMs.toFixed(1)} ms, longest turn ${figures.turnMs.toFixed(1)} ms`,
  };
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;

function watchTurns(): { readonly stop: () => number } {
  let [lastAt, longest] = [performance.now(), 0];
  let turn = setImmediate(next);
  function next(): void {
    const now = performance.now();
    longest = Math.max(longest, now - lastAt);
    lastAt = now;
    turn = setImmediate(next);
  }
  return {
    stop: () => {
      clearImmediate(turn);
      return longest;
    },
  };
}
