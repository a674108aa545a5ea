import { cpSync, rmSync } from "node:fs";

/** What the programs need beside them, besides the web pages: the scripts that dnsdist runs. */
rmSync("dist/lua", { recursive: true, force: true });
cpSync("daemon/src/engines/dnsdist/lua", "dist/lua", { recursive: true });
