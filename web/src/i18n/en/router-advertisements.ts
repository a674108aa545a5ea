export const routerAdvertisements = {
  title: "IPv6 router advertisements",
  none: "The gateway is not advertised as IPv6 router. Devices get IPv6 from another router, or not at all.",
  add: "Advertise on a LAN",
  edit: (name: string) => `Edit the advertisements on ${name}`,
  remove: (name: string) => `Stop advertising on ${name}`,
  removeText: (name: string) =>
    `Devices on ${name} are notified at once, and open no new connections over IPv6 by this gateway.`,
  removed: "The advertisements are stopped.",
  saved: "The advertisements are saved.",
  interface: "LAN interface",
  noLan: "The gateway is advertised on every LAN interface, or has none.",
  lifetime_sec: {
    label: "Lifetime",
    hint: "So long devices use the router, their addresses and the DNS server after the last advertisement.",
  },
  state: "State",
  statuses: { advertising: "Advertising", starting: "Starting", failed: "Failed", off: "Off" },
  prefixes: "Networks",
  resolvers: "DNS servers",
  noResolver: "none",
};
