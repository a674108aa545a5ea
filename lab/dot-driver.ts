import { readFileSync } from "node:fs";
import { createServer } from "node:tls";

/** A server that knows one group for its keys and no other, and answers every question with nothing. */
const [port, address, group, cert, key] = process.argv.slice(2) as [string, string, string, string, string];
createServer(
  { cert: readFileSync(cert), key: readFileSync(key), ecdhCurve: group, minVersion: "TLSv1.3", ALPNProtocols: ["dot"] },
  (socket) => {
    socket.on("error", () => {});
    socket.on("data", (frame: Buffer) => {
      const answer = Buffer.from(frame); // One question at a time is all that is asked of it.
      answer[4] = answer[4]! | 0x80;
      socket.write(answer);
    });
  },
).listen(Number(port), address, () => process.stdout.write("ready\n"));
