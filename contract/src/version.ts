/** The version of the product; a test holds it against every package.json. */
export const version = "0.1.0";
