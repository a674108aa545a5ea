import { api } from "@portcullis/contract/api";
import { openapi } from "@portcullis/contract/openapi";
import { version } from "@portcullis/contract/version";

/** `npm run openapi`: the document on standard output. */
process.stdout.write(`${JSON.stringify(openapi(api, version), null, 2)}\n`);
