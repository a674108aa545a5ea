import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { Component } from "@portcullis/contract/subsystems/status";

/** Handlers by subsystem of the contract. */
export type GatewayHandlers = { readonly [S in keyof GatewayApi]: HandlersOf<GatewayApi[S]> };

/** A module of the gateway: its API handlers, its health components, and its shutdown. */
export interface Module {
  readonly handlers: Partial<GatewayHandlers>;
  /** Components of `GET /observer`. */
  readonly components?: readonly (() => Component | Promise<Component>)[];
  readonly close?: () => void | Promise<void>;
}

/** Identity that checks the type of a module and preserves its literal type. */
export const opened = <M extends Module>(module: M): M => module;
