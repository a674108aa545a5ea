import { logPort } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { openLogReceiver } from "../daemon/src/engines/dnsdist/log.receiver.ts";
import { linux } from "../daemon/src/system/system.ts";

/** The daemon's own receiver. Each line it reads is answered with how many answers to clients it has been told of. */
let told = 0;
openLogReceiver({
  system: linux,
  port: logPort,
  isFront: () => true,
  onBatch: (records) => {
    told += records.filter(({ side }) => side !== "up").length;
  },
});
process.stdin.on("data", () => console.log(told));
console.log("ready");
