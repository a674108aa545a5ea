/** The version of the product; a test compares it with every package.json. */
export const version = "0.1.0";
