/** The setup code in the fragment of the address that the gateway's console shows as a QR code: `#setup=…`. */
export const codeFrom = (hash: string): string => new URLSearchParams(hash.slice(1)).get("setup") ?? "";
