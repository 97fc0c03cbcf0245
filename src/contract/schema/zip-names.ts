/*
 * Decodes names in ZIP files, in the same way on the server and in the web client. Many programs make archives, and few
 * of them declare how.
 */

/** The upper half of code page 437, that of the first ZIP programs. */
const cp437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * The name of an entry that is not marked as UTF-8. Info-ZIP's `zip` and macOS write UTF-8 all the same, so valid UTF-8
 * counts as that: names in code page 437 are hardly ever valid, unless they are ASCII, which is the same in both.
 */
export function nameOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : (cp437[byte - 128] ?? ''))).join('');
  }
}

/**
 * The path of an entry: with `/`, where programs for Windows write `\`, and composed characters (NFC), where macOS
 * decomposes them. It may still lead outside.
 */
export function pathOf(name: string): string {
  return name.replaceAll('\\', '/').normalize('NFC');
}

/** Whether operating systems add it on their own: macOS puts `._name` beside each file, for its extra attributes. */
export function isLitter(path: string): boolean {
  return /(^|\/)(__MACOSX(\/|$)|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)/.test(path);
}
