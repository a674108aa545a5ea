import { expect, test } from "vitest";
import { statusAfter, parseMessage, initialStatus } from "./management.parse.ts";

/** As OpenVPN 2.6.14 says it: a client that is not let in at first. */
const recording = [
  ">INFO:OpenVPN Management Interface Version 5 -- type 'help' for more info\r",
  ">PASSWORD:Need 'Auth' username/password\r",
  "SUCCESS: real-time state notification set to ON\r",
  "1794732699,CONNECTING,,,,,,\r",
  "END\r",
  "SUCCESS: bytecount interval changed\r",
  ">STATE:1794732701,WAIT,,,,,,\r",
  ">STATE:1794732701,AUTH,,,,,,\r",
  ">PASSWORD:Verification Failed: 'Auth'\r",
  ">STATE:1794732701,RECONNECTING,auth-failure,,,,,\r",
  ">HOLD:Waiting for hold release:5\r",
  ">BYTECOUNT:2046,2188\r",
];
const connected = [
  ">STATE:1794732710,ASSIGN_IP,,10.66.1.2,,,,\r",
  ">STATE:1794732711,CONNECTED,SUCCESS,10.66.1.2,203.0.113.1,1194,,\r",
];
const after = (lines: readonly string[]) =>
  lines.map(parseMessage).reduce((status, said) => statusAfter(status, said, 1_794_732_712_345), initialStatus);

test("OpenVPN status: a rejected client is held", () => {
  expect(after(recording)).toEqual({
    ...initialStatus,
    state: "RECONNECTING",
    detail: "auth-failure",
    passwordRequest: "Auth",
    rejections: 1,
    isHeld: true,
    rxBytes: 2046,
    txBytes: 2188,
    countedAtMs: 1_794_732_712_345,
  });
});

test("OpenVPN status: a connection has a server and a time, and clears earlier rejections", () => {
  expect(after([...recording, ...connected])).toMatchObject({
    state: "CONNECTED",
    endpoint: "203.0.113.1:1194",
    connectedAtMs: 1_794_732_711_000,
    rejections: 0,
    isHeld: false,
  });
  expect(after([...recording, ...connected]).addresses).toEqual(["10.66.1.2"]);
  const both = ">STATE:1,CONNECTED,SUCCESS,10.66.1.2,203.0.113.1,1194,198.51.100.2,40000,fd66::2\r";
  expect(after([both, ">STATE:2,RECONNECTING,ping-restart,,,,,\r"]).addresses).toEqual(["10.66.1.2", "fd66::2"]);
  expect(after([">STATE:1,CONNECTED,SUCCESS,10.66.1.2,2001:db8::1,443,,\r"]).endpoint).toBe("[2001:db8::1]:443");
});

test("tokens, answers and anything else change nothing", () => {
  const others = [
    ">PASSWORD:Auth-Token:SESS_ID_x\r",
    "SUCCESS: hold=0\r",
    ">LOG:1,I,word\r",
    "",
    "END\r",
    ">INFO:1,2,3",
  ];
  expect(after(others)).toEqual(initialStatus);
  expect(after([">FATAL:no tun\r"]).fatal).toBe("no tun");
});
