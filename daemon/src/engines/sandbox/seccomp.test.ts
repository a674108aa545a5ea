import { expect, test } from "vitest";
import {
  argument,
  auditArchitecture,
  type Instruction,
  netfilter,
  offset,
  operation,
  type Rules,
  seccompBytes,
  seccompProgram,
  verdict,
} from "./seccomp.model.ts";
import { type Architecture, denied, lastKnown, sending, special } from "./syscalls.model.ts";

const architectures = ["x64", "arm64"] as const satisfies readonly Architecture[];

/** What the kernel does with a program, for the instructions that are used. */
function judge(
  program: readonly Instruction[],
  call: { arch: number; number: number; args?: readonly number[] },
): number {
  const data = new Map<number, number>([
    [offset.number, call.number],
    [offset.architecture, call.arch],
    ...[0, 1, 2, 3, 4, 5].map((place) => [argument(place), call.args?.[place] ?? 0] as const),
  ]);
  let accumulator = 0;
  for (let place = 0; place < program.length; place += 1) {
    const { code, jumpTrue, jumpFalse, operand } = program[place]!;
    const jump = (isTrue: boolean) => (place += isTrue ? jumpTrue : jumpFalse);
    if (code === operation.answer) return operand;
    else if (code === operation.load) accumulator = data.get(operand)!;
    else if (code === operation.and) accumulator = (accumulator & operand) >>> 0;
    else if (code === operation.jump) place += operand;
    else if (code === operation.equal) jump(accumulator === operand);
    else if (code === operation.greater) jump(accumulator > operand);
    else if (code === operation.anyBit) jump((accumulator & operand) !== 0);
    else throw new Error(`Unknown instruction ${code}`);
  }
  throw new Error("The program has no end");
}

const filterOf =
  (architecture: Architecture, rules: Rules = {}) =>
  (number: number, ...args: readonly number[]): string => {
    const answer = judge(seccompProgram(rules), { arch: auditArchitecture[architecture], number, args });
    if (answer === verdict.allow) return "allowed";
    return answer >>> 16 === verdict.error >>> 16 ? `error ${answer & 0xffff}` : "killed";
  };

test.each(architectures)(
  "%s: listed calls are refused, their neighbours are not, and unknown ones do not exist",
  (it) => {
    const call = filterOf(it);
    const refused = new Set(Object.values(denied[it]));
    const plain = Array.from({ length: lastKnown + 1 }, (_, number) => number).filter(
      (number) => !Object.values(special[it]).includes(number),
    );
    expect(plain.filter((number) => call(number) === "error 1")).toEqual(plain.filter((number) => refused.has(number)));
    expect(plain.filter((number) => call(number) === "allowed")).toEqual(
      plain.filter((number) => !refused.has(number)),
    );
    const unknown = [lastKnown + 1, 0x4000_0000, 0x4000_0000 + denied.x64["mount"]!];
    expect(unknown.map((number) => call(number))).toEqual(unknown.map(() => "error 38"));
  },
);

test.each(architectures)("%s: threads are made, namespaces are not", (it) => {
  const call = filterOf(it);
  const { clone, clone3 } = special[it];
  expect(call(clone, 0x003d_0f00)).toBe("allowed");
  for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
    expect(call(clone, flag | 17)).toBe("error 1");
  expect(call(clone3)).toBe("error 38");
});

test.each(architectures)("%s: sockets are for IP, UNIX and routing information", (it) => {
  const { socket } = special[it];
  const call = filterOf(it);
  const cloexec = 0x8_0000;
  expect([1, 2, 10].map((family) => call(socket, family, 1 | cloexec))).toEqual(["allowed", "allowed", "allowed"]);
  expect([2, 10].map((family) => call(socket, family, 3 | cloexec, 255))).toEqual(["error 1", "error 1"]);
  expect([17, 38, 40, 44].map((family) => call(socket, family, 3))).toEqual(Array(4).fill("error 97"));
  expect([0, netfilter, 4].map((protocol) => call(socket, 16, 3, protocol))).toEqual(["allowed", "error 1", "error 1"]);
  expect(filterOf(it, { netlink: [netfilter] })(socket, 16, 3, netfilter)).toBe("allowed");
});

test.each(architectures)("%s: a packet socket is for the DHCP server alone, and does not bypass queues", (it) => {
  const { socket, setsockopt } = special[it];
  const call = filterOf(it, { packetSockets: true });
  expect(call(socket, 17, 3)).toBe("allowed");
  expect([20, 5].map((option) => call(setsockopt, 4, 263, option))).toEqual(["error 1", "allowed"]);
  expect(call(setsockopt, 4, 1, 20)).toBe("allowed");
  expect(filterOf(it)(socket, 17, 3)).toBe("error 97");
});

test.each(architectures)("%s: a raw socket is for ICMPv6, and for the advertiser of the router alone", (it) => {
  const { socket } = special[it];
  const call = filterOf(it, { icmpv6Sockets: true });
  const cloexec = 0x8_0000;
  expect(call(socket, 10, 3 | cloexec, 58)).toBe("allowed");
  expect(call(socket, 10, 2, 0)).toBe("allowed");
  expect([255, 17, 41].map((protocol) => call(socket, 10, 3, protocol))).toEqual(Array(3).fill("error 1"));
  expect([58, 1].map((protocol) => call(socket, 2, 3, protocol))).toEqual(["error 1", "error 1"]);
  expect(call(socket, 17, 3)).toBe("error 97");
  expect(filterOf(it)(socket, 10, 3, 58)).toBe("error 1");
});

test.each(architectures)("%s: a program that only receives opens no socket for IP, and sends by none", (it) => {
  const { socket } = special[it];
  const { refused, written, closed } = sending[it];
  const call = filterOf(it, { packetSockets: true, receivesOnly: true });
  expect([17, 1, 2, 10].map((family) => call(socket, family, 3))).toEqual([
    "allowed",
    "allowed",
    "error 97",
    "error 97",
  ]);
  expect(new Set(refused.map((number) => call(number)))).toEqual(new Set(["error 1"]));
  for (const number of written)
    expect([0, 1, 2, 3, 4].map((file) => call(number, file))).toEqual([
      "error 1",
      "allowed",
      "allowed",
      "error 1",
      "error 1",
    ]);
  expect([0, 1, 2, 3].map((file) => call(closed, file))).toEqual(["allowed", "error 1", "error 1", "allowed"]);
  const control = filterOf(it, { packetSockets: true });
  expect(new Set([...refused, ...written, closed].map((number) => control(number, 3)))).toEqual(new Set(["allowed"]));
});

test.each(architectures)("%s: a program that only receives cannot have its outputs closed by execve", (it) => {
  const { ioctl } = special[it];
  const { controlled } = sending[it];
  const rules = { packetSockets: true };
  const [setFlags, getFlags, closeOnExec] = [2, 1, 0x5451];
  const answers = (receivesOnly: boolean) => {
    const call = filterOf(it, { ...rules, receivesOnly });
    return [
      [0, 1, 2, 3].map((file) => call(controlled, file, setFlags, 1)),
      [1, 2].map((file) => call(controlled, file, getFlags)),
      [1, 2, 3].map((file) => call(ioctl, file, closeOnExec)),
      [call(ioctl, 1, closeOnExec - 1)],
    ];
  };
  const allowed = (count: number) => Array<string>(count).fill("allowed");
  expect(answers(true)).toEqual([
    ["allowed", "error 1", "error 1", "allowed"],
    allowed(2),
    Array(3).fill("error 1"),
    allowed(1),
  ]);
  expect(answers(false)).toEqual([allowed(4), allowed(2), allowed(3), allowed(1)]);
});

test.each(architectures)("%s: keys cannot be typed, and what is pretended is reported as done", (it) => {
  const { ioctl } = special[it];
  const call = filterOf(it, { pretended: [0x8922] });
  expect([0x5401, 0x5412, 0x541c, 0x8922].map((request) => call(ioctl, 0, request))).toEqual([
    "allowed",
    "error 1",
    "error 1",
    "error 0",
  ]);
  expect(filterOf(it)(ioctl, 0, 0x8922)).toBe("allowed");
});

test("programs of other architectures are killed", () => {
  expect(judge(seccompProgram(), { arch: 0x4000_0003, number: 1 })).toBe(verdict.kill);
});

test("the bytes are those of the instructions, and the kernel takes no more than 4096 of them", () => {
  const program = seccompProgram();
  const bytes = seccompBytes();
  expect(bytes).toHaveLength(program.length * 8);
  expect(program.length).toBeLessThan(4096);
  expect(bytes.slice(0, 8)).toEqual(Uint8Array.from([0x20, 0, 0, 0, 4, 0, 0, 0]));
  for (const { jumpTrue, jumpFalse } of program) expect(Math.max(jumpTrue, jumpFalse)).toBeLessThan(256);
});
