import { debianRoot } from "../debian-root.ts";
import { testPackage } from "../package-journey.ts";

/* The package on Debian 13, with its systemd and its engines. The first run downloads 200 MB. */
testPackage(() => debianRoot("trixie"));
