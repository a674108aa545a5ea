declare module "virtual:routes" {
  /** The contract without its schemas: made by the build. */
  export const routes: import("@portcullis/contract/endpoint").Api;
}
