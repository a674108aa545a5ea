import type { Socket } from "node:net";

const users = new WeakMap<Socket, string>();

/** Marks a connection of the Unix socket, whose file only this user can open. */
export const markLocal = (socket: Socket, user: string): void => void users.set(socket, user);

/** The peer's user, if the kernel has verified it. */
export const localUser = (socket: Socket): string | undefined => users.get(socket);

export const isEncrypted = (socket: Socket): boolean => "encrypted" in socket;

/** The client address of a request, for logs, limits and sessions. */
export const clientAddress = (socket: Socket): string => socket.remoteAddress ?? (users.has(socket) ? "unix" : "");
