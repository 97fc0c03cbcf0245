/** Real data is never deeper, and parsing deeper JSON takes disproportionately long. */
const maxJsonDepth = 100;
/** Values in one text, including lists and objects: these take time to parse and to check, not long strings. */
const maxJsonValues = 20_000;
/** Characters outside of strings: numbers, signs and blanks. More than enough for that many values. */
const maxJsonSigns = 512 * 1024;
/** The error for the sender. */
export const tooComplex = `It nests lists and objects more than ${maxJsonDepth} deep, or has more than ${maxJsonValues} values; send less at once.`;

const [quote, comma, openList, closeList, openObject, closeObject] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether JSON text has too many values, or nests them too deep: one pass over it, without parsing. */
export function isTooComplex(text: string): boolean {
  let depth = 0;
  let values = 0;
  let strings = 0;
  for (let at = 0, signs = 0; at < text.length; at++, signs++) {
    if (signs > maxJsonSigns) return true;
    const character = text.charCodeAt(at);
    if (character === quote) {
      // Each value may have a name.
      if (++strings > 2 * maxJsonValues + 1) return true;
      at = endOfString(text, at);
    } else if (character === openList || character === openObject) {
      if (++depth > maxJsonDepth || ++values > maxJsonValues) return true;
    } else if (character === comma) {
      if (++values > maxJsonValues) return true;
    } else if (character === closeList || character === closeObject) {
      depth--;
    }
  }
  return false;
}

/** @returns where the string that begins at `start` ends: at its closing quote, or at the end of the text */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
