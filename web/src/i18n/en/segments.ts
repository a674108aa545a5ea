export const segments = {
  title: "Segments",
  single: "The gateway has one LAN, so there is nothing to isolate.",
  isolated: "Segments are isolated from each other unless one reaches another.",
  edit: (name: string) => `Edit the segment ${name}`,
  saved: "The segment is saved.",
  name: "Name",
  interface: "LAN interface",
  networks: "Networks",
  reaches: "Reaches",
  none: "no other segment",
  reachesOther: (name: string) => `Reaches ${name}`,
  reachesHint: "Its devices may open connections to this segment. Replies pass, new connections from there do not.",
};
