import Type, { type Static } from "typebox";
import { closed } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { InterfaceName, named, Nullable, OneOf, optionalSentenceFields } from "../values.ts";
import { NetworkInterface } from "./interfaces.ts";

/** How the setup came to propose an interface, for `wan` and for `lan`. */
export const suggestionReasons = [
  "default_route",
  "configured",
  "only_other",
  "address",
  "link",
  "first",
  "none",
] as const;
export type SuggestionReason = (typeof suggestionReasons)[number];

const LanAddress = (more: string) =>
  Type.String({
    maxLength: 18,
    description: `Private IPv4 address of the gateway with the length of its network, such as 192.168.50.1/24. ${more}`,
  });
const egress = ["direct", "block"] as const;
const Proposal = (use: string) =>
  Type.Object({
    interface: Nullable(Type.String({ description: `For ${use}; null: no interface can be used for it` })),
    reason: OneOf(suggestionReasons, {
      description:
        "default_route: the machine's default route leaves by it; configured: the configuration file names it; only_other: there is no other; address: it has a private address; link: it has a link; first: nothing distinguishes it; none: there is none",
    }),
  });

const DhcpProposal = Type.Object({ first: Type.String(), last: Type.String() });

export const SetupState = named(
  "SetupState",
  Type.Object({
    steps: Type.Object(
      {
        network: Type.Boolean({ description: "The interfaces of both roles exist, and enforcement is on" }),
        confirmation: Type.Boolean({ description: "The first enforcement on this machine was confirmed" }),
        boot_guard: Type.Boolean({ description: "Nothing is forwarded at boot before the daemon runs" }),
        account: Type.Boolean({ description: "An admin account or key exists" }),
        tunnel: Type.Boolean({ description: "At least one tunnel exists" }),
      },
      { description: "true: done" },
    ),
    settings: Type.Object(
      {
        wan: Type.String(),
        lan: Type.String(),
        lan_address: Nullable(
          Type.String({ description: "Set by the gateway; null: by another program, or not at all" }),
        ),
        unknown: OneOf(egress),
        uplink_ports: Type.Array(Type.Integer()),
        enabled: Type.Boolean({ description: "Whether the gateway enforces (dataplane.enabled)" }),
      },
      { description: "In force" },
    ),
    interfaces: Type.Array(
      Type.Object({
        ...NetworkInterface.properties,
        usable: Type.Boolean({ description: "Whether it can be the uplink or the LAN" }),
        free_address: Nullable(
          Type.String({
            description: "For lan_address, if this is the LAN: in a free network; null: it has an address, which stays",
          }),
        ),
      }),
      { description: "Of this machine. Byte counters that grow show which one is in use" },
    ),
    suggestion: Type.Object({
      wan: Proposal("the uplink"),
      lan: Proposal("the LAN"),
      lan_address: Nullable(
        Type.String({ description: "A free network; null: the suggested LAN has an address, which stays" }),
      ),
      dhcp: Type.Boolean({ description: "false: the LAN has an address already, and may have a DHCP server" }),
    }),
    web_address: Nullable(
      Type.String({ description: "Of the web interface, from the LAN; null: the API listens on loopback only" }),
    ),
    ...optionalSentenceFields("refusal", "Why the setup cannot be applied now, as a sentence; empty: it can"),
    can_cancel: Type.Boolean({ description: "Whether the configuration from before the setup can be restored" }),
  }),
);
export type SetupState = Static<typeof SetupState>;

export const SetupPlan = named(
  "SetupPlan",
  Type.Object({
    file: Type.String({ description: "The configuration file" }),
    changes: Type.Array(Type.Object({ key: Type.String(), from: Type.Unknown(), to: Type.Unknown() }), {
      description: "Keys of the file. All other lines, and all comments, stay",
    }),
    lan_address: Type.String({ description: "The gateway's address on the LAN" }),
    address_set_by: OneOf(["gateway", "system"], {
      description: "gateway: Portcullis adds it to the interface; system: the interface has it",
    }),
    dhcp: Nullable(Type.Object({ ...DhcpProposal.properties }, { description: "null: no addresses are leased there" })),
    web_address: Nullable(Type.String({ description: "Of the web interface, from the LAN" })),
    confirm_sec: Type.Integer({
      description: "Time for the confirmation, after which everything is removed again; 0: no confirmation is needed",
    }),
  }),
);
export type SetupPlan = Static<typeof SetupPlan>;

export const SetupRequest = named(
  "SetupRequest",
  closed({
    wan: { ...InterfaceName, description: "Interface towards the Internet" },
    lan: { ...InterfaceName, description: "Interface towards the devices" },
    lan_address: Type.Optional(
      Nullable(
        LanAddress(
          "The gateway adds it to the LAN interface. null: another program of the machine sets one; absent: as configured",
        ),
      ),
    ),
    dhcp: Type.Optional(
      Type.Boolean({
        description:
          "Whether the gateway leases addresses on the LAN; absent: if it sets the address. The range can be changed later",
      }),
    ),
    unknown: Type.Optional(
      OneOf(egress, { description: "Egress of devices that no policy matches; absent: as configured" }),
    ),
    uplink_ports: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
        maxItems: 64,
        uniqueItems: true,
        description: "TCP ports of the gateway that stay reachable from the uplink, such as 22; absent: as configured",
      }),
    ),
    web_on_lan: Type.Optional(
      Type.Boolean({
        description:
          "true: the API and the web interface listen on all addresses, with TLS; the guard accepts connections from the LAN only. false or absent: as configured",
      }),
    ),
  }),
);
export type SetupRequest = Static<typeof SetupRequest>;

export const setup = {
  show: endpoint({
    method: "GET",
    path: "/setup",
    role: "viewer",
    summary: "What is set up on this machine and what is missing: interfaces, roles, confirmation",
    result: SetupState,
    errors: [],
  }),
  plan: endpoint({
    method: "POST",
    path: "/setup/plan",
    role: "admin",
    summary: "What a setup would change, without changing it",
    body: SetupRequest,
    result: SetupPlan,
    errors: ["conflict"],
  }),
  apply: endpoint({
    method: "PUT",
    path: "/setup",
    role: "admin",
    summary: "Write interfaces and addresses into the configuration file, and enforce provisionally",
    description:
      "After the answer the daemon starts again with the new configuration, which takes a moment. What is enforced then is reverted " +
      "unless it is confirmed in time (POST /enforcement/confirm). A refused or failed setup changes nothing.",
    body: SetupRequest,
    result: SetupPlan,
    errors: ["conflict", "change_pending"],
    audit: { verb: "apply", noun: "setup" },
  }),
  cancel: endpoint({
    method: "DELETE",
    path: "/setup",
    role: "admin",
    summary: "Undo a setup that was not confirmed: remove what it enforces, and restore the configuration file",
    result: SetupState,
    errors: ["conflict", "change_pending"],
    audit: { verb: "cancel", noun: "setup" },
  }),
};
