import { logPort } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { openLogReceiver } from "../daemon/src/engines/dnsdist/log.receiver.ts";
import { linux } from "../daemon/src/system/system.ts";

/** The daemon's log receiver. Prints the number of received answers to clients for each input line. */
let received = 0;
openLogReceiver({
  system: linux,
  port: logPort,
  isFrontend: () => true,
  onBatch: (records) => {
    received += records.filter(({ side }) => side !== "up").length;
  },
});
process.stdin.on("data", () => console.log(received));
console.log("ready");
