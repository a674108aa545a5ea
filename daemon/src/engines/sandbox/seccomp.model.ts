import { denied, lastKnown, sending, special, type Architecture } from "./syscalls.model.ts";

/*
 * The seccomp filter of the sandbox, as a program for the kernel's classic BPF machine. A program can only refuse: what it lets
 * pass is still subject to users, capabilities and namespaces. It is a list of what is refused, because the engines are other
 * people's programs, of many versions: a list of what they need would break with the next libc. Calls that are newer than
 * this list are refused as unknown (ENOSYS), upon which programs use an older one.
 */
export interface Rules {
  /** Netlink protocols that are allowed besides NETLINK_ROUTE. */
  readonly netlink?: readonly number[];
  /** Whether it may open packet sockets (AF_PACKET), for which it also needs the privilege net_raw. */
  readonly packetSockets?: boolean;
  /** Whether it may open raw sockets for ICMPv6, for which it also needs the privilege net_raw. The guard sees their packets. */
  readonly icmpv6Sockets?: boolean;
  /** No sockets for IP, and no call by which a packet socket could send. It writes to its output and its error output only. */
  readonly receivesOnly?: boolean;
  /** Requests of ioctl() that are not made but reported as done: what they would set, the daemon sets. */
  readonly pretended?: readonly number[];
}

/** NETLINK_NETFILTER: nftables. */
export const netfilter = 12;

export interface Instruction {
  readonly code: number;
  /** How many instructions to skip when a comparison is true, and when it is false. */
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly operand: number;
}

export function seccompProgram(rules: Rules = {}): readonly Instruction[] {
  const [x64, arm64] = [forArchitecture("x64", rules), forArchitecture("arm64", rules)];
  return [
    load(offset.architecture),
    ...when(auditArchitecture.x64, x64),
    ...when(auditArchitecture.arm64, arm64),
    // Such as 32 bit programs, whose calls have other numbers.
    answer(verdict.kill),
  ];
}

/** As bwrap wants it: eight bytes for each instruction, in the byte order of all machines we run on. */
export function seccompBytes(rules: Rules = {}): Uint8Array {
  const program = seccompProgram(rules);
  const view = new DataView(new ArrayBuffer(program.length * 8));
  for (const [place, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    view.setUint16(place * 8, code, true);
    view.setUint8(place * 8 + 2, jumpTrue);
    view.setUint8(place * 8 + 3, jumpFalse);
    view.setUint32(place * 8 + 4, operand, true);
  }
  return new Uint8Array(view.buffer);
}

function forArchitecture(
  architecture: Architecture,
  { netlink = [], packetSockets = false, icmpv6Sockets = false, receivesOnly = false, pretended = [] }: Rules,
): Instruction[] {
  const { clone, clone3, socket, setsockopt, ioctl } = special[architecture];
  const refused = Object.values(denied[architecture]);
  return [
    load(offset.number),
    // Also the second set of numbers of x86-64 (x32).
    ...above(lastKnown, [answer(errorOf.ENOSYS)]),
    ...refused.flatMap((number) => when(number, [answer(errorOf.EPERM)])),
    // Its flags are in memory, where a filter cannot look.
    ...when(clone3, [answer(errorOf.ENOSYS)]),
    ...when(clone, [load(argument(0)), ...anyOf(newNamespaces, [answer(errorOf.EPERM)]), answer(verdict.allow)]),
    ...when(socket, [load(argument(0)), ...socketRules({ netlink, packetSockets, icmpv6Sockets, receivesOnly })]),
    ...(receivesOnly ? sendingRules(architecture) : []),
    // A packet socket that bypasses queues bypasses the hooks of nftables, too.
    ...(packetSockets
      ? when(setsockopt, [
          load(argument(1)),
          ...when(packetLevel, [load(argument(2)), ...when(queueBypass, [answer(errorOf.EPERM)])]),
          answer(verdict.allow),
        ])
      : []),
    ...when(ioctl, [
      load(argument(1)),
      ...[...terminalInput, ...(receivesOnly ? [closeOnExec] : [])].flatMap((request) =>
        when(request, [answer(errorOf.EPERM)]),
      ),
      ...pretended.flatMap((request) => when(request, [answer(errorOf.none)])),
      answer(verdict.allow),
    ]),
    answer(verdict.allow),
  ];
}

const socketRules = ({
  netlink,
  packetSockets,
  icmpv6Sockets,
  receivesOnly,
}: Required<Omit<Rules, "pretended">>): Instruction[] => [
  ...when(family.unix, [answer(verdict.allow)]),
  ...(packetSockets ? when(family.packet, [answer(verdict.allow)]) : []),
  ...(receivesOnly ? [] : [family.inet, family.inet6]).flatMap((it) =>
    when(it, [
      load(argument(1)),
      { code: operation.and, jumpTrue: 0, jumpFalse: 0, operand: socketType },
      ...when(rawSocket, [
        ...(icmpv6Sockets && it === family.inet6 ? [load(argument(2)), ...when(icmpv6, [answer(verdict.allow)])] : []),
        answer(errorOf.EPERM),
      ]),
      answer(verdict.allow),
    ]),
  ),
  ...when(family.netlink, [
    load(argument(2)),
    ...[netlinkRoute, ...netlink].flatMap((protocol) => when(protocol, [answer(verdict.allow)])),
    answer(errorOf.EPERM),
  ]),
  answer(errorOf.EAFNOSUPPORT),
];

/** A socket must not take the number of an output, or it could be written to: no output is closed, nor marked to be closed by execve. */
function sendingRules(architecture: Architecture): Instruction[] {
  const { refused, written, closed, controlled } = sending[architecture];
  const outputs = (ifOutput: Instruction, otherwise: Instruction) => [
    load(argument(0)),
    ...[standardOutput, standardError].flatMap((it) => when(it, [ifOutput])),
    otherwise,
  ];
  const [allow, refuse] = [answer(verdict.allow), answer(errorOf.EPERM)];
  return [
    ...refused.flatMap((number) => when(number, [refuse])),
    ...written.flatMap((number) => when(number, outputs(allow, refuse))),
    ...when(closed, outputs(refuse, allow)),
    ...when(controlled, [load(argument(1)), ...when(setDescriptorFlags, outputs(refuse, allow)), allow]),
  ];
}

const standardOutput = 1;
const standardError = 2;
/** F_SETFD of fcntl(), and FIOCLEX of ioctl(), which does the same. */
const setDescriptorFlags = 2;
const closeOnExec = 0x5451;

const load = (operand: number): Instruction => ({ code: operation.load, jumpTrue: 0, jumpFalse: 0, operand });
const answer = (operand: number): Instruction => ({ code: operation.answer, jumpTrue: 0, jumpFalse: 0, operand });
const when = (operand: number, then: readonly Instruction[]) => branch(operation.equal, operand, then);
const above = (operand: number, then: readonly Instruction[]) => branch(operation.greater, operand, then);
const anyOf = (operand: number, then: readonly Instruction[]) => branch(operation.anyBit, operand, then);

/** A comparison can skip 255 instructions at most, a jump any number. */
const branch = (code: number, operand: number, then: readonly Instruction[]): Instruction[] =>
  then.length < 256
    ? [{ code, jumpTrue: 0, jumpFalse: then.length, operand }, ...then]
    : [
        { code, jumpTrue: 1, jumpFalse: 0, operand },
        { code: operation.jump, jumpTrue: 0, jumpFalse: 0, operand: then.length },
        ...then,
      ];

/** linux/bpf_common.h */
export const operation = {
  load: 0x20,
  and: 0x54,
  jump: 0x05,
  equal: 0x15,
  greater: 0x25,
  anyBit: 0x45,
  answer: 0x06,
} as const;

/** linux/seccomp.h: what the kernel hands to the program, and what the program answers. */
export const offset = { number: 0, architecture: 4 } as const;
/** The lower half of an argument; the kernel looks at no more of those that are compared here. */
export const argument = (place: number): number => 16 + 8 * place;
export const verdict = { allow: 0x7fff_0000, kill: 0x8000_0000, error: 0x0005_0000 } as const;
const errorOf = {
  none: verdict.error,
  EPERM: verdict.error + 1,
  ENOSYS: verdict.error + 38,
  EAFNOSUPPORT: verdict.error + 97,
} as const;

/** linux/audit.h */
export const auditArchitecture: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e02_0000;
const family = { unix: 1, inet: 2, inet6: 10, netlink: 16, packet: 17 } as const;
/** SOL_PACKET and PACKET_QDISC_BYPASS. */
const packetLevel = 263;
const queueBypass = 20;
const netlinkRoute = 0;
const socketType = 0xf;
const rawSocket = 3;
const icmpv6 = 58;
/** TIOCSTI and TIOCLINUX: injected terminal input. */
const terminalInput = [0x5412, 0x541c];
