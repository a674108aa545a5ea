import type { Socket } from "node:net";

const users = new WeakMap<Socket, string>();

/** To be called for each connection of the Unix socket, whose file lets only this user in. */
export const markLocal = (socket: Socket, user: string): void => void users.set(socket, user);

/** The user at the other end, where the kernel has checked who that is. */
export const localUser = (socket: Socket): string | undefined => users.get(socket);

export const isEncrypted = (socket: Socket): boolean => "encrypted" in socket;

/** Where a request comes from, for logs, limits and sessions. */
export const clientAddress = (socket: Socket): string => socket.remoteAddress ?? (users.has(socket) ? "unix" : "");
