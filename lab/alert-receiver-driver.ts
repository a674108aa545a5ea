import { openReceiver } from "../testing/receiver.ts";

/*
 * `alert-receiver-driver.ts ADDRESS`, inside a host: an HTTP server that accepts alerts. It prints its URL, and then the body of each
 * request that it gets, a line for each.
 */
const receiver = await openReceiver(
  (request) => {
    process.stdout.write(`${JSON.stringify(request.json())}\n`);
    return {};
  },
  undefined,
  process.argv[2],
);
process.stdout.write(`${receiver.url}\n`);
