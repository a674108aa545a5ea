// Types only: the schemas would be half of the bundle.
export type { GatewayApi } from "@portcullis/contract/api";

export const basePath = "/api/v1";
