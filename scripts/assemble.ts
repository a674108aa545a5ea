import { cpSync, rmSync } from "node:fs";

/** What the programs need beside them: the web pages, and the scripts that dnsdist runs. */
rmSync("dist/web", { recursive: true, force: true });
cpSync("web/index.html", "dist/web/index.html");
rmSync("dist/lua", { recursive: true, force: true });
cpSync("daemon/src/engines/dnsdist/lua", "dist/lua", { recursive: true });
