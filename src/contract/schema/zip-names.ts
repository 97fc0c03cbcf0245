/*
 * What names in ZIP files mean: the same on the server and in the web client. Archives are made by many programs, and few of
 * them say how.
 */

/** The upper half of code page 437, that of the first ZIP programs. */
const cp437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * The name of an entry that is not marked as UTF-8. Info-ZIP's `zip` and macOS write UTF-8 all the same, so what is valid
 * as such is that: names in code page 437 hardly ever are, unless they are ASCII, which is the same in both.
 */
export function nameOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : (cp437[byte - 128] ?? ''))).join('');
  }
}

/**
 * The path of an entry: with `/`, where programs for Windows write `\`, and composed characters (NFC), where macOS writes
 * them taken apart. It may still lead outside.
 */
export function pathOf(name: string): string {
  return name.replaceAll('\\', '/').normalize('NFC');
}

/** Whether operating systems put it there on their own: macOS `._name` beside each file, for what has no place in it. */
export function isLitter(path: string): boolean {
  return /(^|\/)(__MACOSX(\/|$)|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)/.test(path);
}
