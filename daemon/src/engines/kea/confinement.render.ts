export const confinementTable = "netdev portcullis_dhcp";

/**
 * Rules that keep one user's packets off interfaces. The guard does not see packets of a packet socket; the hook of a device sees them,
 * unless the socket bypasses queues, which the seccomp filter refuses. A hook needs an interface that exists, and an older
 * kernel deletes the chain together with it.
 */
export const renderConfinement = (userId: number, closed: readonly string[]): string =>
  [
    `table ${confinementTable} { }`,
    `delete table ${confinementTable}`,
    `table ${confinementTable} {`,
    "\tcounter blocked { }",
    ...closed.map((name, place) =>
      [
        `\tchain interface_${place} {`,
        `\t\ttype filter hook egress device "${name}" priority 0; policy accept;`,
        `\t\tmeta skuid ${userId} counter name blocked drop`,
        "\t}",
      ].join("\n"),
    ),
    "}\n",
  ].join("\n");
