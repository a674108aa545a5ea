import { cpSync, rmSync } from "node:fs";

/** What the programs need beside them: the web pages. */
rmSync("dist/web", { recursive: true, force: true });
cpSync("web/index.html", "dist/web/index.html");
