import Type from "typebox";
import { endpoint } from "../endpoint.ts";

export const metrics = {
  read: endpoint({
    method: "GET",
    path: "/metrics",
    role: "metrics",
    summary: "Numbers about the gateway, for Prometheus and programs that read its format",
    description:
      "In the text format of Prometheus, or in OpenMetrics if the Accept header prefers it. An API key with the role metrics reads nothing else. " +
      "No metric has a label for a device.",
    result: Type.String(),
    responseType: "text/plain",
    alternativeType: "application/openmetrics-text",
    errors: [],
    cli: { words: ["metrics"] },
  }),
};
