import { readFileSync } from "node:fs";
import { createServer } from "node:tls";

/** A DoT server that supports a single key exchange group, and answers every query without records. */
const [port, address, group, cert, key] = process.argv.slice(2) as [string, string, string, string, string];
createServer(
  { cert: readFileSync(cert), key: readFileSync(key), ecdhCurve: group, minVersion: "TLSv1.3", ALPNProtocols: ["dot"] },
  (socket) => {
    socket.on("error", () => {});
    socket.on("data", (frame: Buffer) => {
      const answer = Buffer.from(frame); // Each frame holds one query.
      answer[4] = answer[4]! | 0x80;
      socket.write(answer);
    });
  },
).listen(Number(port), address, () => process.stdout.write("ready\n"));
