import type { Count, Machine } from "./machine.ts";

/** Something that has made protected devices leak elsewhere and that only a machine with a service manager can have. */
export interface Fault {
  /** Its place in the list of faults. */
  readonly number: number;
  readonly name: string;
  /** Lines of docs/traffic.md that say what may pass meanwhile. */
  readonly cites: readonly string[];
  /** Does it, and answers what shows that it happened; it throws where that cannot be shown. */
  readonly strike: (machine: Machine) => Promise<string>;
  /** Whether the device is served again after it, without a hand. The next fault finds a gateway without a daemon otherwise. */
  readonly heals: boolean;
}

/** So long a fault stands, at least. */
const lastsSec = 2;

/** A tunnel that another program removes. The daemon creates it again as soon as it runs. */
const takeTunnel = "ip link del wg0 2>/dev/null || true";

/** Those that follow each other without a boot between them. Starts of the daemon are dear: where one is down, the next begins. */
export const faults: readonly Fault[] = [
  flowtable("flowtable enabled by another program, and the tunnel goes", ""),
  // The kernel looks up the route there when it sees the response. For IPv6 it takes any, if there is no better one.
  flowtable("the same, of flows whose answers come by first", "ct direction reply"),
  {
    number: 10,
    name: "the kernel's own tunnel interface is deleted",
    cites: ["T-degraded-1", "T-degraded-3"],
    heals: true,
    strike: async (machine) => {
      const before = await machine.attempt("cat /sys/class/net/wg0/ifindex 2>/dev/null");
      await machine.run(`${takeTunnel}; sleep ${lastsSec}`);
      return `interface ${before.output.trim() || "none"} is gone`;
    },
  },
  {
    number: 3,
    name: "systemctl restart",
    cites: ["T-stopping-1", "T-upgrading-2"],
    heals: true,
    strike: async (machine) => {
      const before = await mainProcess(machine);
      await machine.run("systemctl restart portcullis");
      return changed("process", before, await mainProcess(machine));
    },
  },
  {
    number: 4,
    name: "systemctl stop, also of the guard's unit, and the tunnel goes meanwhile",
    cites: ["T-stopping-1", "T-stopping-2", "T-stopping-3"],
    heals: false,
    strike: async (machine) => {
      await machine.run("systemctl stop portcullis portcullis-guard");
      const { output } = await machine.attempt("systemctl is-active portcullis portcullis-guard");
      await machine.run(`sleep ${lastsSec}; ${takeTunnel}; sleep ${lastsSec}`);
      return `units were ${output.trim().replace("\n", " and ")}`;
    },
  },
  {
    number: 5,
    name: "a crash loop until systemd gives up, without a tunnel",
    cites: ["T-stopping-1", "T-stopping-2"],
    heals: false,
    strike: async (machine) => {
      // The unit as it is packaged is started again for ever. Here it is one whose owner wants otherwise.
      await machine.run(`mkdir -p ${dropIn} && printf '${fewStarts}' >${dropIn}/few.conf && systemctl daemon-reload`);
      const killed = await machine.run(killUntilGivenUp, 240);
      await machine.run(`sleep ${lastsSec}`);
      const result = (await machine.run("systemctl show -P Result portcullis")).trim();
      await machine.run(`rm -r ${dropIn} && systemctl daemon-reload && systemctl reset-failed portcullis`);
      return `killed ${killed.trim()} times, then ${result}`;
    },
  },
  {
    number: 7,
    name: "package upgrade: files are replaced and units restarted",
    cites: ["T-upgrading-1", "T-upgrading-2", "T-upgrading-3"],
    heals: true,
    strike: async (machine) => {
      const before = await mainProcess(machine);
      await machine.run(replaceFiles);
      await machine.run("systemctl daemon-reload && systemctl restart portcullis-guard portcullis");
      return changed("process", before, await mainProcess(machine));
    },
  },
  {
    number: 8,
    name: "removed, and installed again, without a boot between",
    cites: ["T-wiped-3", "T-upgrading-3"],
    heals: false,
    strike: async (machine) => {
      await machine.run(remove);
      const { output } = await machine.attempt("systemctl is-active portcullis; ls /usr/lib/portcullis 2>&1");
      await machine.run(`${takeTunnel}; sleep ${lastsSec}`);
      await machine.run(`${putBack}; sleep ${lastsSec}`);
      return output.trim().replaceAll("\n", ", ");
    },
  },
];

function flowtable(name: string, when: string): Fault {
  return {
    number: 23,
    name,
    cites: ["T-degraded-3", "T-always-1"],
    heals: true,
    strike: async (machine) => {
      const before = answersIn(await machine.count());
      const offloaded = Number(await machine.run(offload(when)));
      const isAnswered = answersIn(await machine.count()) > before;
      await machine.run(`${takeTunnel}; sleep ${lastsSec}; nft delete table inet others_offload`);
      if (offloaded > 0) return "flows of the device went past all rules when their tunnel went";
      // A device without a tunnel gets no responses.
      if (when !== "" && !isAnswered) return "there were no answers that could come by";
      throw new Error("The fault did not happen: no flow went past the rules");
    },
  };
}

const answersIn = ({ answered }: Count): number => Object.values(answered).reduce((sum, it) => sum + it, 0);

/** A processor that is shared with others may take its time. */
const offloadTries = 4;

/** Every flow it sees is handed past all rules from its second packet on; answers how many were. */
const offload = (when: string): string => `
  set -e
  devices=$(cd /sys/class/net && ls -d lan0 wan0 wg0 2>/dev/null | paste -sd, )
  nft -f - <<NFT
table inet others_offload {
	flowtable fast {
		hook ingress priority filter
		devices = { $devices }
	}
	chain forward {
		type filter hook forward priority filter + 20; policy accept;
		meta l4proto { tcp, udp } ${when} flow add @fast
	}
}
NFT
  for i in $(seq ${offloadTries}); do
    sleep ${lastsSec}
    count=$(conntrack -L 2>/dev/null | grep -c OFFLOAD || true)
    [ "$count" -gt 0 ] && break
  done
  echo "$count"`;

const dropIn = "/run/systemd/system/portcullis.service.d";
const fewStarts = "[Unit]\\nStartLimitIntervalSec=600\\nStartLimitBurst=4\\n[Service]\\nRestartSec=0\\n";
const killUntilGivenUp = `
  systemctl reset-failed portcullis
  systemctl start portcullis
  killed=0
  for i in $(seq 300); do
    state=$(systemctl show -P ActiveState portcullis)
    [ "$state" = failed ] && echo $killed && exit $((killed < 3))
    process=$(systemctl show -P MainPID portcullis)
    [ "$process" != 0 ] && kill -KILL "$process" 2>/dev/null && killed=$((killed + 1))
    sleep 0.3
  done
  exit 1`;

/** As dpkg does it: each new file is written beside the old one and takes its place. */
const replaceFiles = `
  set -e
  for file in /usr/lib/portcullis/*.mjs /usr/lib/portcullis/portcullis-* /usr/lib/systemd/system/portcullis*.service; do
    cp -p "$file" "$file.dpkg-new"
    mv "$file.dpkg-new" "$file"
  done`;
const remove = `
  set -e
  systemctl disable --now -q portcullis portcullis-guard
  mkdir -p /var/tmp/removed
  mv /usr/lib/portcullis /usr/lib/systemd/system/portcullis*.service /var/tmp/removed/
  systemctl daemon-reload`;
const putBack = `
  set -e
  mv /var/tmp/removed/*.service /usr/lib/systemd/system/
  mv /var/tmp/removed/portcullis /usr/lib/
  systemctl daemon-reload
  systemctl enable -q portcullis-guard portcullis
  systemctl start portcullis-guard portcullis`;

const mainProcess = async (machine: Machine) => (await machine.run("systemctl show -P MainPID portcullis")).trim();

function changed(what: string, before: string, after: string): string {
  if (before === after) throw new Error(`The fault did not happen: ${what} ${before} is still there`);
  return `${what} ${before} became ${after}`;
}
