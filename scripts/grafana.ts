import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dashboard } from "./grafana/dashboard.ts";

/** `npm run grafana`: writes packaging/grafana/portcullis.json. A test fails while it differs from the catalogue of metrics. */
const file = fileURLToPath(new URL("../packaging/grafana/portcullis.json", import.meta.url));
writeFileSync(file, `${JSON.stringify(dashboard(), null, 2)}\n`);
