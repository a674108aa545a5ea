import { component } from "@portcullis/contract/subsystems/status";
import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { programsComponent } from "./programs.ts";

const all =
  "ip nft ping sysctl tc conntrack wg wireguard-go openvpn redsocks dnsdist unbound nsd kea-dhcp4 radvd tcpdump bwrap unshare setpriv perl curl openssl".split(
    " ",
  );
const without = (...missing: string[]) =>
  programsComponent(
    { list: (folder) => (folder === "/sbin" ? all.filter((name) => !missing.includes(name)) : []) },
    "/bin::/sbin",
  );

test("programs: all installed", () => {
  expect(without()).toEqual(component("programs", "ok", because("programs_installed")));
});

test("programs: missing optional programs are listed with the features that they disable", () => {
  expect(without("openvpn", "redsocks")).toMatchObject({
    name: "programs",
    status: "ok",
    message: "Not available, because programs are missing: tunnels with OpenVPN (openvpn); SOCKS5 hops (redsocks)",
  });
  expect(without("unbound", "nsd").message).toBe(
    "Not available, because programs are missing: DNS (unbound); local DNS zones (nsd)",
  );
});

test("programs: without a required program the component has failed", () => {
  expect(without("nft", "wg")).toMatchObject({
    status: "failed",
    message: expect.stringMatching(
      /^Required programs are not installed: nft\. `apt install .*nftables.*`; not available/,
    ) as string,
  });
});
