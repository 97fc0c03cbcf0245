/** Deeper JSON is nobody's data, and parsing it takes time out of all proportion to its length. */
const maxJsonDepth = 100;
/** Lists and objects in one text: the empty ones take the longest to parse for their length. */
const maxJsonContainers = 50_000;
/** What the sender is told. */
export const tooComplex = `It nests lists and objects more than ${maxJsonDepth} deep, or has more than ${maxJsonContainers} of them; send less at once.`;

const [quote, openList, closeList, openObject, closeObject] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether JSON text has too many lists and objects, or nests them too deep: one pass over it, without parsing. */
export function isTooComplex(text: string): boolean {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      at = endOfString(text, at);
    } else if (character === openList || character === openObject) {
      if (++depth > maxJsonDepth || ++containers > maxJsonContainers) return true;
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
