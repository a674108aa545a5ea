import { expect, test } from "vitest";
import { programsComponent } from "./programs.ts";

const all =
  "ip nft ping sysctl tc conntrack wg wireguard-go openvpn redsocks danted dnsdist unbound nsd bwrap unshare setpriv perl curl openssl".split(
    " ",
  );
const without = (...missing: string[]) =>
  programsComponent(
    { list: (folder) => (folder === "/sbin" ? all.filter((name) => !missing.includes(name)) : []) },
    "/bin::/sbin",
  );

test("a machine that has everything says so", () => {
  expect(without()).toEqual({
    name: "programs",
    status: "ok",
    message: "Every program that may be needed is installed",
  });
});

test("what some hops need may be missing, and it is told what cannot be had", () => {
  expect(without("openvpn", "redsocks")).toEqual({
    name: "programs",
    status: "ok",
    message: "Not to be had, for lack of programs: tunnels of OpenVPN (openvpn); SOCKS5 hops (redsocks).",
  });
  expect(without("unbound", "nsd").message).toBe(
    "Not to be had, for lack of programs: answers for names (unbound); zones of the house (nsd).",
  );
});

test("without a program that everything needs the gateway has failed", () => {
  expect(without("nft", "wg")).toMatchObject({
    status: "failed",
    message: expect.stringMatching(
      /^Not installed, and nothing works without: nft\. `apt install .*nftables.*`\. Not to be had/,
    ) as string,
  });
});
