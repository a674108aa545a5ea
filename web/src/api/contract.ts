// Only types come from the table of contents: its schemas would be half of what a browser has to load.
export type { GatewayApi } from "@portcullis/contract/api";

export const basePath = "/api/v1";
