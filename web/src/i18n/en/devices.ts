const count = (number: number, one: string, many: string) => (number === 1 ? `1 ${one}` : `${number} ${many}`);

export const devices = {
  subtitle: "Devices on your network",
  tabs: { list: "Devices", groups: "Groups and classes" },
  addDevice: "Add a device",
  none: "No known devices yet. Identify a device on the LAN, or add one by its MAC or IP address.",
  noMatch: "No device matches.",
  showAll: "Show all",
  listLabel: "All devices",
  countsLabel: "Devices by state",
  moreAddresses: (number: number) => `+${number}`,
  states: { known: "Known", new: "New", quarantined: "Quarantined" },
  columns: {
    name: "Device",
    path: "Path",
    class: "Class",
    group: "Group",
    addresses: "Addresses",
    seen: "Last seen",
    rate: "Rate now",
    today: "Today",
  },
  filters: {
    text: "Search devices",
    textExample: "Name, address, MAC or host name",
    class: "Class",
    group: "Group",
    any: "Any",
  },
  unknown: {
    title: (number: number) => (number === 1 ? "1 unknown device on the LAN" : `${number} unknown devices on the LAN`),
    seen: "seen",
    identify: "Identify",
    more: (number: number) => `and ${number} more`,
  },
  newDevices: {
    title: (number: number) => (number === 1 ? "1 new device" : `${number} new devices`),
    all: "Show all new devices",
    who: "Identify",
    put: "Move to group",
    putInto: (name: string) => `Assign a class or group to ${name}`,
    since: "first seen",
  },
  menu: {
    known: "Mark as known",
    quarantine: "Quarantine",
    release: "End quarantine",
    remove: "Remove",
    privacy: (name: string) => `Privacy: ${name}`,
    trust: (name: string) => `Trust: ${name}`,
    group: (name: string) => `Group: ${name}`,
  },
  done: {
    inClass: (device: string, name: string) => `${device} is in class ${name}`,
    inGroup: (device: string, name: string) => `${device} is in group ${name}`,
    outOf: (device: string, name: string) => `${device} is no longer in ${name}`,
    quarantined: (device: string) => `${device} is quarantined`,
    released: (device: string) => `${device} is no longer quarantined`,
    known: (device: string) => `${device} is known`,
  },
  form: {
    add: "Add a device",
    edit: (name: string) => `Edit ${name}`,
    who: "Identify device",
    known: "Save",
    saved: (name: string) => `${name} saved`,
    added: (name: string) => `${name} added`,
    name: "Name",
    nameExample: "Kitchen TV",
    mac: "MAC",
    hostname: "Host name",
    vendor: "Vendor",
    addresses: "IP addresses",
    addressesHint: (number: number) =>
      number === 0
        ? "Separated by commas. Without a MAC address, the device is identified by these addresses only."
        : count(number, "address", "addresses"),
    trust: "Trust class",
    privacy: "Privacy class",
    profile: "Profile",
    groups: "Groups",
    notes: "Notes",
    none: "None",
  },
  removal: {
    title: (name: string) => `Remove ${name}`,
    effect: (name: string) =>
      `${name} is deleted, with its classes and groups. If it is still connected, it appears again as a new device.`,
    policies: (number: number, names: string) =>
      number === 1
        ? `Policy ${names} no longer matches any device then.`
        : `${number} policies no longer match any device then: ${names}.`,
    names: (number: number) =>
      number === 1
        ? "1 DNS entry is for this device only and must be removed first."
        : `${number} DNS entries are for this device only and must be removed first.`,
    wasQuarantined: "The device is quarantined. If it appears again, it is not.",
    action: "Remove device",
    done: (name: string) => `${name} removed`,
  },
  belongings: {
    name: "Name",
    description: "Description",
    members: "Devices",
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name}`,
    removed: (name: string) => `${name} removed`,
    editTitle: (name: string) => `Edit ${name}`,
    unused: "Nothing uses it.",
    users: {
      devices: (number: number) => count(number, "device", "devices"),
      trust_classes: (number: number) => count(number, "trust class", "trust classes"),
    } as Readonly<Record<string, (number: number) => string>>,
    otherUsers: (number: number, kind: string) => `${number} × ${kind}`,
    stillUsed: (parts: readonly string[]) =>
      `In use by: ${parts.join(", ")}. It can be removed once they use another one.`,
    groups: {
      title: "Groups",
      add: "Add a group",
      none: "No groups yet. A policy or DNS rule for a group applies to several devices: of a location, a person or a purpose.",
      leave: (number: number) =>
        number === 0 ? "The group has no devices." : `${count(number, "device leaves", "devices leave")} the group.`,
      policies: (number: number, names: string) =>
        number === 1
          ? `Policy ${names} no longer matches any device then.`
          : `${number} policies no longer match any device then: ${names}.`,
    },
    trust: {
      title: "Trust classes",
      add: "Add a trust class",
      none: "No trust classes yet. A trust class has a trust level and a default privacy class.",
      level: "Trust level",
      levelHint: "0: untrusted, 100: your own device.",
      privacy: "Default privacy class",
      privacyHint: "Applies to devices without a privacy class of their own.",
      profile: "Default profile",
    },
    privacy: {
      title: "Privacy classes",
      add: "Add a privacy class",
      none: "No privacy classes yet. A privacy class restricts what a device may send, whichever path it uses.",
      demands: "Requirements",
      fail: "If a hop is down",
      fails: { "fail-closed": "Block", "fail-open": "Direct", "fail-over": "Next policy" },
      dnsMode: "DNS server",
      dnsModes: { system: "The gateway, always", device: "Chosen by the device", off: "Not handled" },
      dnsModeHints: {
        system: "Every query on port 53 is answered by the gateway, whatever its destination.",
        device: "The device may use any resolver, unless its DNS is redirected to the gateway.",
        off: "Queries to other resolvers are forwarded, even if DNS is redirected to the gateway.",
      },
      forceRests: {
        system: "Always on: the gateway answers all queries.",
        off: "Inactive: queries are not handled.",
      },
      log: "Logging",
      logs: { full: "All domains", counts: "Counts only", none: "Nothing" },
      short: {
        require_tunnel: "VPN required",
        force_dns: "DNS redirected",
        block_doh: "no DoH/DoT bypass",
        block_webrtc: "no STUN",
        block_ipv6: "no IPv6",
      },
      long: {
        require_tunnel: "Require VPN",
        force_dns: "Redirect DNS to the gateway",
        block_doh: "Block DNS-over-HTTPS bypass",
        block_webrtc: "Block WebRTC leaks (STUN)",
        block_ipv6: "Block IPv6",
      },
      hints: {
        require_tunnel: "Blocked if no policy routes it through a tunnel.",
        force_dns: "The gateway answers every query on port 53, whatever its destination.",
        block_doh: "Known DoH and DoT resolvers are blocked, so that apps cannot bypass the filters.",
        block_webrtc: "STUN reveals the real address to web pages.",
        block_ipv6: "For paths that support IPv4 only.",
      },
    },
  },
};
