import Type from "typebox";
import { endpoint } from "../endpoint.ts";

/** The contract itself. It is public, so reading it needs no credential. */
export const documents = {
  openapi: endpoint({
    method: "GET",
    path: "/openapi.json",
    role: "anyone",
    summary: "This contract as an OpenAPI 3.1 document",
    result: Type.Record(Type.String(), Type.Unknown(), { title: "OpenApiDocument" }),
    errors: [],
  }),
  docs: endpoint({
    method: "GET",
    path: "/docs",
    role: "anyone",
    summary: "This contract as a page that works offline",
    result: Type.String(),
    responseType: "text/html",
    errors: [],
  }),
};
