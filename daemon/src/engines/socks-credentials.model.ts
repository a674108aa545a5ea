/** Whether a username or a password fits into SOCKS5: RFC 1929 has one byte for each length. */
export function fitsIntoSocks(text: string): boolean {
  const size = new TextEncoder().encode(text).length;
  return size >= 1 && size <= 255;
}
