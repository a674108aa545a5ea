import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { Component } from "@portcullis/contract/subsystems/status";

/** Handlers by subsystem of the contract. */
export type GatewayHandlers = { readonly [S in keyof GatewayApi]: HandlersOf<GatewayApi[S]> };

/** One subject of the gateway, opened: what the API server serves of it, what it reports of its health, how it ends. */
export interface Module {
  readonly handlers: Partial<GatewayHandlers>;
  /** Parts of `GET /observer`. */
  readonly components?: readonly (() => Component | Promise<Component>)[];
  readonly close?: () => void | Promise<void>;
}

/** A module as it is, with the promise that it is one. */
export const opened = <M extends Module>(module: M): M => module;
